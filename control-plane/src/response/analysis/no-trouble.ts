/** The finding when no rule found anything: the check is healthy, or has no results to judge. */
import { counted, listed } from "@svc/contract";
import { type AnalysisInput, measuredLocations, median } from "./input.ts";
import type { Finding } from "./rules/define-rule.ts";
import { readableMs, targetOf } from "./rules/words.ts";

/** Number of results from which on more of them add no confidence. */
const RESULTS_FOR_CERTAINTY = 20;

/** Returns the finding for a check without trouble: `healthy`, or `no_data` when there are no results. */
export function findNoTrouble(input: AnalysisInput): Finding {
  const locations = measuredLocations(input);
  const samples = locations.flatMap((location) => location.samples);
  if (samples.length === 0) return findNoData(input);
  const failed = samples.filter(({ isSuccess }) => !isSuccess).length;
  const middleMs = median(samples.map(({ timing }) => timing.totalMs));
  return {
    type: "healthy",
    severity: "info",
    confidence:
      0.5 + 0.45 * Math.min(1, samples.length / RESULTS_FOR_CERTAINTY) * (1 - failed / samples.length),
    summary: `${targetOf(input)} is fine from ${listed(locations.map(({ locationId }) => locationId))}: ${samples.length - failed} of the newest ${counted(samples.length, "result")} succeeded, with a median of ${readableMs(middleMs)}.`,
    evidence: locations.map(
      ({ locationId, samples: own }) =>
        `${locationId}: the newest result is a success; ${own.filter(({ isSuccess }) => !isSuccess).length} of ${own.length} failed`,
    ),
  };
}

function findNoData({ check, locations }: AnalysisInput): Finding {
  return {
    type: "no_data",
    severity: "info",
    confidence: 1,
    summary: `There is no result of ${check.name} to analyze${check.isEnabled ? "" : ": it is paused"}.`,
    evidence: [`no results from ${listed(locations.map(({ locationId }) => locationId))}`],
  };
}
