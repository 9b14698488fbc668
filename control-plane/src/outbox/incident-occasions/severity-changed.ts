import { defineOccasion, EVERYBODY } from "./define-occasion.ts";

/** The highest severity of the open alerts rose or fell. */
export const severityChanged = defineOccasion("severity_changed", {
  words: "incident severity changed",
  symbol: "arrow_double_up",
  effect: "raise",
  audiences: EVERYBODY,
  summary: ({ payload, incident }) =>
    `From ${payload.previousSeverity ?? "another severity"} to ${incident.severity}. ${payload.hypothesis.summary}`,
  example: { detail: () => ({ previousSeverity: "warning" }) },
});
