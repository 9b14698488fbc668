/** Nothing speaks for trouble: all is well, or nothing is known. The answer when no other rule has one. */
import { counted, listed } from "@svc/contract";
import { type AnalysisFacts, median, seenPlaces } from "../facts.ts";
import { type Finding, ms, targetOf } from "../finding.ts";

/** So many results make one as sure as one gets. */
const RESULTS_FOR_CERTAINTY = 20;

export function healthy(facts: AnalysisFacts): Finding {
  const places = seenPlaces(facts);
  const samples = places.flatMap((place) => place.samples);
  if (samples.length === 0) return noData(facts);
  const failed = samples.filter(({ isSuccess }) => !isSuccess).length;
  const middleMs = median(samples.map(({ timing }) => timing.totalMs));
  return {
    type: "healthy",
    severity: "info",
    confidence:
      0.5 + 0.45 * Math.min(1, samples.length / RESULTS_FOR_CERTAINTY) * (1 - failed / samples.length),
    summary: `${targetOf(facts)} is fine from ${listed(places.map(({ locationId }) => locationId))}: ${samples.length - failed} of the newest ${counted(samples.length, "result")} succeeded, with a median of ${ms(middleMs)}.`,
    evidence: places.map(
      ({ locationId, samples: own }) =>
        `${locationId}: the newest result is a success; ${own.filter(({ isSuccess }) => !isSuccess).length} of ${own.length} failed`,
    ),
  };
}

function noData({ check, places }: AnalysisFacts): Finding {
  return {
    type: "no_data",
    severity: "info",
    confidence: 1,
    summary: `There is no result of ${check.name} to analyze${check.isEnabled ? "" : ": it is paused"}.`,
    evidence: [`no results from ${listed(places.map(({ locationId }) => locationId))}`],
  };
}
