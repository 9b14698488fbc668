import { alertSummaries, defineOccasion } from "./define-occasion.ts";

/** Many alerts of the incident ended at once: one notification in place of one for each. */
export const alertsRecovered = defineOccasion("alerts_recovered", {
  standsFor: "auto_resolved",
  words: "alerts recovered",
  symbol: "white_check_mark",
  isEnding: true,
  effect: "note",
  audiences: ["people"],
  summary: alertSummaries,
});
