/** The reason that most failures show by themselves, such as a limited rate or a maintenance page. */
import { reasonOf } from "../../failures/registry.ts";
import { failingStates, failureOf } from "../../incidents/member-profile.ts";
import { targetsOf } from "../input.ts";
import { defineHypothesisRule } from "./define-rule.ts";

/** Above the layer that fails, which any such failure has, too. */
const CONFIDENCE = 0.82;

/** Contributes the reason that explains most of the failing locations' failures. */
export const failureReason = defineHypothesisRule("failure_reason", (input) => {
  const failing = input.members.flatMap(failingStates).map(failureOf);
  const found = reasonOf(failing);
  if (!found) return undefined;
  const { reason, explained } = found;
  return {
    cause: {
      summary: `${targetsOf(input)} ${reason.phrase(explained)}: ${reason.advice}`,
      confidence: CONFIDENCE,
    },
    ruledIn: [
      `reason: ${reason.phrase(explained)}, in ${explained.length} of ${failing.length} failing locations`,
    ],
  };
});
