/** The condition that was met, where no run fails: the target is slow, drifts or deviates. */
import { conditionTypes } from "@svc/contract";
import { failingStates, isAboutMissingRuns, type MemberProfile } from "../../incidents/member-profile.ts";
import { distinct, targetsOf } from "../input.ts";
import { defineHypothesisRule } from "./define-rule.ts";

/** Contributes the symptom of the alerts' conditions when no member fails. */
export const conditionSymptom = defineHypothesisRule("condition_symptom", (input) => {
  const { members } = input;
  if (members.some((member) => failingStates(member).length > 0)) return undefined;
  const types = distinct(members.flatMap(({ conditions }) => conditions));
  const [symptom] = types.flatMap((type) => conditionTypes.find(type)?.symptom ?? []);
  if (symptom === undefined) return undefined;
  return {
    cause: { summary: `${targetsOf(input)} ${symptom}${phaseText(members)}`, confidence: 0.5 },
    ruledIn: types.map((type) => `condition: ${type}`),
    ruledOut: members.some(isAboutMissingRuns) ? [] : ["availability: the checks themselves succeed"],
  };
});

/** Returns the phase that takes most of the slowest success' time; empty when none does. */
function phaseText(members: readonly MemberProfile[]): string {
  const phases = members.flatMap(({ locationStates }) =>
    locationStates.flatMap(({ mainPhase }) => mainPhase ?? []),
  );
  const [slowest] = phases.sort((a, b) => b.totalMs - a.totalMs);
  if (!slowest) return "";
  const { name, ms, totalMs } = slowest;
  return `; most of the time goes into ${name}, ${Math.round(ms)} of ${Math.round(totalMs)} ms`;
}
