/** Runs are missing for reasons of our own: the target is not to blame, and nobody looks at it either. */
import type { MissingReason } from "@svc/contract";
import { counted, listed } from "@svc/contract";
import type { MissingEvidence } from "../facts.ts";
import { type AnalysisRule, targetOf } from "../finding.ts";

const MISSING_MIN = 3;
const SHARE_MIN = 0.1;

const WORDS: Record<MissingReason, string> = {
  no_runner: "no runner was connected",
  no_capable_runner: "no runner could run this type of check",
  runner_capacity: "the runners had no room",
  runner_crash: "the runner's process crashed",
  runner_oom: "the runner ran out of memory",
  runner_network: "the runner's own network was down",
  unknown: "no result arrived from the runner",
};

export const runnerFault: AnalysisRule = (facts) => {
  const lacking = facts.missing.filter(
    (place) => missingOf(place) >= MISSING_MIN && missingOf(place) >= place.expected * SHARE_MIN,
  );
  if (lacking.length === 0) return undefined;
  const [missing, expected] = [sum(lacking.map(missingOf)), sum(lacking.map((place) => place.expected))];
  const share = missing / expected;
  return {
    type: "runner_fault",
    severity: share > 0.5 ? "critical" : "warning",
    confidence: Math.min(0.9, 0.55 + share / 2),
    summary: `${counted(missing, "run")} of ${targetOf(facts)} are missing at ${listed(lacking.map(({ locationId }) => locationId))}, because ${WORDS[mainReason(lacking)]}: look at the runners there, not at the target.`,
    evidence: lacking.map(
      (place) =>
        `${place.locationId}: ${missingOf(place)} of ${counted(place.expected, "run")} missing; ${WORDS[mainReason([place])]}`,
    ),
  };
};

function missingOf({ reasons }: MissingEvidence): number {
  return sum(Object.values(reasons));
}

function mainReason(places: readonly MissingEvidence[]): MissingReason {
  const counts = new Map<MissingReason, number>();
  for (const { reasons } of places)
    for (const [reason, count] of Object.entries(reasons) as [MissingReason, number][])
      counts.set(reason, (counts.get(reason) ?? 0) + count);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "unknown";
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
