/** Finds runs that are missing because of the runners: the target is not to blame, and goes unobserved meanwhile. */
import type { MissingReason } from "@svc/contract";
import { counted, listed } from "@svc/contract";
import type { MissingSlots } from "../input.ts";
import { defineAnalysisRule } from "./define-rule.ts";
import { targetOf } from "./words.ts";

const MISSING_MIN = 3;
const SHARE_MIN = 0.1;

const REASON_WORDS: Record<MissingReason, string> = {
  location_retired: "the location was retired",
  no_runner: "no runner was connected",
  no_capable_runner: "no runner could run this type of check",
  no_vault_runner: "no runner could open the secrets that the check refers to",
  runner_capacity: "the runners had no capacity",
  runner_crash: "the runner's process crashed",
  runner_oom: "the runner ran out of memory",
  runner_network: "the runner's own network was down",
  runner_lost: "the connection to the runner was lost",
  previous_run: "the run before was still open",
  service_unavailable: "the service could not reach its database",
  unknown: "no result arrived from the runner",
};

/** Applies to locations where at least three runs, and a tenth of the due ones, are missing. */
export const runnerFault = defineAnalysisRule("runner_fault", (input) => {
  const lacking = input.missing.filter(
    (slots) => missingOf(slots) >= MISSING_MIN && missingOf(slots) >= slots.expected * SHARE_MIN,
  );
  if (lacking.length === 0) return undefined;
  const [missing, expected] = [sum(lacking.map(missingOf)), sum(lacking.map((slots) => slots.expected))];
  const share = missing / expected;
  return {
    severity: share > 0.5 ? "critical" : "warning",
    confidence: Math.min(0.9, 0.55 + share / 2),
    summary: `${counted(missing, "run")} of ${targetOf(input)} are missing at ${listed(lacking.map(({ locationId }) => locationId))}, because ${REASON_WORDS[mainReason(lacking)]}: look at the runners there, not at the target.`,
    evidence: lacking.map(
      (slots) =>
        `${slots.locationId}: ${missingOf(slots)} of ${counted(slots.expected, "run")} missing; ${REASON_WORDS[mainReason([slots])]}`,
    ),
  };
});

/**
 * Reasons that runners are not to blame for: a run that is still open when the next one is due is the target's doing, and a
 * service without its database keeps its runners from knowing of a slot.
 */
const NOT_THE_RUNNERS: readonly MissingReason[] = ["previous_run", "service_unavailable"];

/** Counts the slots that runners are to blame for. */
function missingOf({ reasons }: MissingSlots): number {
  return sum(Object.values(reasons)) - sum(NOT_THE_RUNNERS.map((reason) => reasons[reason] ?? 0));
}

function mainReason(locations: readonly MissingSlots[]): MissingReason {
  const counts = new Map<MissingReason, number>();
  for (const { reasons } of locations)
    for (const [reason, count] of Object.entries(reasons) as [MissingReason, number][])
      if (!NOT_THE_RUNNERS.includes(reason)) counts.set(reason, (counts.get(reason) ?? 0) + count);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "unknown";
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
