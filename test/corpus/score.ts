/** Runs analysis and hypothesis on the recordings and counts how often their first answer names the true cause. */
import { classify } from "../../control-plane/src/response/analysis/classify.ts";
import { hypothesisOf } from "../../control-plane/src/response/hypothesis/hypothesis.ts";
import { CAUSES, type NamedCause } from "./causes.ts";
import { analysisInputOf, hypothesisInputOf } from "./inputs.ts";
import { type Half, halfOf, type Recording } from "./recording.ts";

/** The two that are measured. */
export type Answerer = "insight" | "hypothesis";

/** The first answer about a recording. */
export interface Answer {
  recording: Recording;
  half: Half;
  by: Answerer;
  namesCause: boolean;
  /** The insight's type; `-` for a hypothesis, which has none. */
  type: string;
  summary: string;
}

/** Returns the answers about a recording: the insight's, and the hypothesis' where an alert began. */
export function answersOf(recording: Recording): Answer[] {
  const half = halfOf(recording.id);
  const { insights, words }: NamedCause = CAUSES[recording.cause];
  const { type, summary } = classify(analysisInputOf(recording));
  const input = hypothesisInputOf(recording);
  const insight: Answer = {
    recording,
    half,
    by: "insight",
    type,
    summary,
    namesCause: insights.includes(type) && words.test(summary),
  };
  if (!input) return [insight];
  const hypothesis = hypothesisOf(input);
  return [
    insight,
    {
      recording,
      half,
      by: "hypothesis",
      type: "-",
      summary: hypothesis.summary,
      namesCause: words.test(hypothesis.summary),
    },
  ];
}
