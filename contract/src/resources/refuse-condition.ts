/** Holds conditions against the check that they are written for: one that can never hold is refused with the reason. */
import type { Observation, ObservationOfProbes } from "../base/observation.ts";
import type { CheckTypeDefinition } from "../checks/define-check-type.ts";
import { type CheckType, checkTypes } from "../checks/registry.ts";
import { type Condition, conditionTypes } from "../conditions/registry.ts";

/** The part of a check that decides which conditions can hold for it. */
export interface CheckOfRule {
  type: CheckType;
  /** The configuration with its defaults. */
  config: Readonly<Record<string, unknown>>;
}

/** Returns why a condition can never hold for the check, as a sentence that begins with its type; undefined: it can. */
export function refuseCondition(condition: Condition, check: CheckOfRule): string | undefined {
  const observation = conditionTypes.get(condition.type).needs?.(condition);
  const reason = observation && whyUnobserved(observation, check);
  if (reason === undefined) return undefined;
  const name = "metric" in condition ? `${condition.type} of ${condition.metric}` : condition.type;
  return `${name} can never hold here: ${reason}`;
}

const SUBJECTS = {
  mcp_tools: "tools of a server",
  web_vitals: "web vitals",
} as const satisfies Record<Exclude<Observation, ObservationOfProbes | "certificate">, string>;

/** Why a check that reports by itself makes an observation not. */
const WHY_NOT_OF_REPORTS: Record<ObservationOfProbes, (type: string) => string> = {
  missed_slots: (type) =>
    `no run of a check of type ${type} is missing, since a report that does not come is a failure`,
  phases: (type) => `a report to a check of type ${type} has no phases whose time could be measured`,
  several_locations: (type) => `reports of a check of type ${type} come to one location`,
};

type ObservedType = Pick<CheckTypeDefinition, "type" | "observes" | "pushed" | "whyNoCertificate">;

function whyUnobserved(observation: Observation, { type, config }: CheckOfRule): string | undefined {
  const definition: ObservedType = checkTypes.get(type);
  if (observation === "certificate") {
    const reason = definition.whyNoCertificate?.(config);
    return reason && `${reason}, so no run meets a certificate`;
  }
  if (isOfProbes(observation)) return definition.pushed && WHY_NOT_OF_REPORTS[observation](type);
  if (definition.observes?.includes(observation)) return undefined;
  const able = checkTypes.members.filter((member: ObservedType) => member.observes?.includes(observation));
  const names = able.map((member) => member.type).join(" or ");
  return `the check's type is ${type}, and only checks of type ${names} observe ${SUBJECTS[observation]}`;
}

function isOfProbes(observation: Observation): observation is ObservationOfProbes {
  return Object.hasOwn(WHY_NOT_OF_REPORTS, observation);
}
