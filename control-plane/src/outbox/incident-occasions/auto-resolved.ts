import { defineOccasion, EVERYBODY } from "./define-occasion.ts";

/** The service resolved the incident: no alert has been open for the cool-down. */
export const autoResolved = defineOccasion("auto_resolved", {
  words: "incident resolved",
  symbol: "white_check_mark",
  isEnding: true,
  effect: "end",
  audiences: EVERYBODY,
  example: { state: "resolved", detail: () => ({ previousState: "open" }) },
});
