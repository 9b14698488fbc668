/** Makes analysis rules of the reasons that failures show by themselves. */
import { type InsightType, listed, type Severity } from "@svc/contract";
import { type FailureReasonType, failureReasons, reasonOf } from "../../failures/registry.ts";
import { type AnalysisInput, failingLocations, measuredLocations, type Sample } from "../input.ts";
import { isUnsteady, windowOf } from "../unsteady.ts";
import { defineAnalysisRule } from "./define-rule.ts";
import { confidenceOf, failureLine, targetOf } from "./words.ts";

const CONFIDENCE_BASE = 0.7;
/** Above that of flapping: the reason of each failure says more than their rhythm. */
const CONFIDENCE_UNSTEADY = 0.93;

/** Returns the rule that applies when the failures of most locations have this reason. */
export function defineRuleOfReason<const Type extends InsightType & FailureReasonType>(
  type: Type,
  severity: Severity,
) {
  const reason = failureReasons.get(type);
  return defineAnalysisRule(type, (input) => {
    const failures = newestFailures(input);
    const found = reasonOf(failures.map(({ failure }) => failure));
    if (found?.reason.type !== type || failures.length * 2 <= measuredLocations(input).length)
      return undefined;
    const failing = failingLocations(input);
    return {
      severity,
      confidence: failures.some(({ isUnsteady: unsteady }) => unsteady)
        ? CONFIDENCE_UNSTEADY
        : confidenceOf(failing, CONFIDENCE_BASE),
      summary: `${targetOf(input)} ${reason.phrase(found.explained)}, as seen from ${listed(failures.map(({ locationId }) => locationId))}: ${reason.advice}.`,
      evidence: [
        ...failing.map(failureLine),
        ...failures.flatMap(({ locationId, isUnsteady: unsteady, count }) =>
          unsteady ? [`${locationId}: ${count} of its newest results failed, all in this way`] : [],
        ),
      ],
    };
  });
}

/**
 * Returns the newest failure of each location that fails now, or fails every now and then in one way. At the latter all failures
 * must have one reason.
 */
function newestFailures(input: AnalysisInput) {
  return input.locations.flatMap((location) => {
    const failures = windowOf(location).filter(({ isSuccess }) => !isSuccess);
    const [failure] = failures;
    if (!failure) return [];
    const unsteady = isUnsteady(location) && areAlike(failures);
    if (!unsteady && location.samples[0]?.isSuccess) return [];
    return [{ locationId: location.locationId, failure, isUnsteady: unsteady, count: failures.length }];
  });
}

/** True when the failures have one category and one status code: the newest, whose evidence is known, stands for all. */
function areAlike([first, ...others]: readonly Sample[]): boolean {
  return others.every(
    ({ category, httpStatusCode }) => category === first?.category && httpStatusCode === first.httpStatusCode,
  );
}
