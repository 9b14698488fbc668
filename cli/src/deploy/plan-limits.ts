/** Holds a plan against the limits of the team, which the service would meet in the middle of the deploy. */

import type { CheckChange, Plan, PlannedChange } from "@svc/as-code/plan";
import { type CapUse, counted, type ServiceMeta } from "@svc/contract";
import { CliError } from "../runtime/cli-error.ts";

/** A limit that a deploy would exceed, in a sentence that names the limit and what the config asks for. */
export interface ExceededLimit {
  limit: string;
  message: string;
}

/** Kinds of resources by the cap that counts them, and whether a deploy deletes before it creates. */
const COUNTED: readonly { cap: string; kind: PlannedChange["kind"]; noun: string; deletesFirst: boolean }[] =
  [
    { cap: "checks", kind: "check", noun: "check", deletesFirst: true },
    { cap: "alertRules", kind: "alert", noun: "alert rule", deletesFirst: true },
    { cap: "alertPolicies", kind: "alert_policy", noun: "alert policy", deletesFirst: true },
    { cap: "rotas", kind: "rota", noun: "rota", deletesFirst: false },
    { cap: "statusPages", kind: "status_page", noun: "status page", deletesFirst: true },
    { cap: "slos", kind: "slo", noun: "SLO", deletesFirst: true },
    {
      cap: "thirdPartyPatterns",
      kind: "third_party_pattern",
      noun: "third-party pattern",
      deletesFirst: true,
    },
    { cap: "channels", kind: "channel", noun: "notification channel", deletesFirst: false },
    {
      cap: "maintenanceWindows",
      kind: "maintenance_window",
      noun: "maintenance window",
      deletesFirst: false,
    },
  ];

/** Returns every limit that the deploy of the plan would exceed. Pure. */
export function exceededLimits({ plan, caps }: ServiceMeta, { changes }: Plan): ExceededLimit[] {
  const checks = changes.filter((change): change is CheckChange => change.kind === "check");
  return [
    ...COUNTED.flatMap((one) => exceededCount(one, capOf(caps, one.cap, plan), changes)),
    ...checks.flatMap((check) => exceededByCheck(plan, check)),
  ];
}

/** Builds the error that stops a deploy before anything is changed. */
export function limitError(exceeded: readonly ExceededLimit[]): CliError {
  return new CliError(
    "plan_limit",
    `the deploy would exceed ${counted(exceeded.length, "limit")} of the team; nothing was applied`,
    { hint: exceeded.map(({ message }) => `  ${message}`).join("\n"), details: { limits: exceeded } },
  );
}

/** Returns a cap; that of checks is the smaller one of the operator's and the plan's. */
function capOf(caps: readonly CapUse[], name: string, plan: ServiceMeta["plan"]): CapUse | undefined {
  const cap = caps.find((one) => one.name === name);
  if (cap === undefined || name !== "checks" || plan.maxChecks === null) return cap;
  return { ...cap, max: Math.min(cap.max, plan.maxChecks) };
}

function exceededCount(
  { cap, kind, noun, deletesFirst }: (typeof COUNTED)[number],
  use: CapUse | undefined,
  changes: readonly PlannedChange[],
): ExceededLimit[] {
  if (use === undefined || use.used === null) return [];
  const count = (type: PlannedChange["type"]) =>
    changes.filter((change) => change.kind === kind && change.type === type).length;
  const added = count("create");
  const wanted = use.used + added - (deletesFirst ? count("delete") : 0);
  if (added === 0 || wanted <= use.max) return [];
  const message = `the team may have ${counted(use.max, noun)}; with this deploy it would have ${wanted}`;
  return [{ limit: cap, message }];
}

/** Returns the limits of the plan that a check exceeds by what the deploy sends of it. */
function exceededByCheck(
  { name: planName, maxLocationsPerCheck, minFrequencySeconds }: ServiceMeta["plan"],
  { type, name, desired, fieldChanges }: CheckChange,
): ExceededLimit[] {
  const isSent = (field: string) =>
    type === "create" || (type === "update" && fieldChanges.some((change) => change.field === field));
  if (!desired) return [];
  const { locations, frequencySeconds } = desired;
  const exceeded: ExceededLimit[] = [];
  if (isSent("locations") && maxLocationsPerCheck !== null && locations.length > maxLocationsPerCheck)
    exceeded.push({
      limit: "maxLocationsPerCheck",
      message: `monitor "${name}": the plan ${planName} allows ${counted(maxLocationsPerCheck, "location")} per check; the config names ${locations.length} (field locations)`,
    });
  if (isSent("frequencySeconds") && frequencySeconds < minFrequencySeconds)
    exceeded.push({
      limit: "minFrequencySeconds",
      message: `monitor "${name}": the plan ${planName} allows a frequency of at least ${minFrequencySeconds} s; the config says ${frequencySeconds} s`,
    });
  return exceeded;
}
