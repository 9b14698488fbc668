/** Holds conditions against the check that they are written for: one that can never hold is refused with the reason. */
import type { Observation } from "../base/observation.ts";
import { counted } from "../base/text.ts";
import type { CheckTypeDefinition } from "../checks/define-check-type.ts";
import { type CheckType, checkTypes } from "../checks/registry.ts";
import type { ConditionDefinition } from "../conditions/define-condition.ts";
import { type Condition, conditionTypes } from "../conditions/registry.ts";

/** The part of a check that decides which conditions can hold for it. */
export interface CheckOfRule {
  type: CheckType;
  /** The configuration with its defaults. */
  config: Readonly<Record<string, unknown>>;
  /** Locations that the check has. Absent: they are not known, and no condition is refused for their number. */
  locationCount?: number;
}

/** Returns why a condition can never hold for the check, as a sentence that begins with its type; undefined: it can. */
export function refuseCondition(condition: Condition, check: CheckOfRule): string | undefined {
  const { needs, needsLocations } = conditionTypes.get(condition.type) as ConditionDefinition;
  const observation = needs?.(condition);
  const reason =
    (observation && whyUnobserved(observation, check)) ??
    whyTooFewLocations(needsLocations?.(condition) ?? 1, check);
  if (reason === undefined) return undefined;
  const name = "metric" in condition ? `${condition.type} of ${condition.metric}` : condition.type;
  return `${name} can never hold here: ${reason}`;
}

function whyTooFewLocations(needed: number, { type, locationCount }: CheckOfRule): string | undefined {
  const { pushed }: ObservedType = checkTypes.get(type);
  if (needed > 1 && pushed) return `reports of a check of type ${type} come to one location`;
  if (locationCount === undefined || needed <= locationCount) return undefined;
  return `it needs ${counted(needed, "location")}, and the check has ${locationCount}`;
}

const SUBJECTS = {
  mcp_tools: "tools of a server",
  web_vitals: "web vitals",
} as const satisfies Record<Exclude<Observation, "certificate" | "missed_slots" | "phases">, string>;

type ObservedType = Pick<CheckTypeDefinition, "type" | "observes" | "pushed" | "whyNoCertificate">;

function whyUnobserved(observation: Observation, { type, config }: CheckOfRule): string | undefined {
  const definition: ObservedType = checkTypes.get(type);
  if (observation === "certificate") {
    const reason = definition.whyNoCertificate?.(config);
    return reason && `${reason}, so no run meets a certificate`;
  }
  if (observation === "missed_slots")
    return (
      definition.pushed &&
      `no run of a check of type ${type} is missing, since a report that does not come is a failure`
    );
  if (observation === "phases")
    return (
      definition.pushed && `a report to a check of type ${type} has no phases whose time could be measured`
    );
  if (definition.observes?.includes(observation)) return undefined;
  const able = checkTypes.members.filter((member: ObservedType) => member.observes?.includes(observation));
  const names = able.map((member) => member.type).join(" or ");
  return `the check's type is ${type}, and only checks of type ${names} observe ${SUBJECTS[observation]}`;
}
