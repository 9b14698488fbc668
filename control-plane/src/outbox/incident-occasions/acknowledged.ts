import { defineOccasion, EVERYBODY } from "./define-occasion.ts";

/** A person acknowledged the incident. */
export const acknowledged = defineOccasion("acknowledged", {
  words: "incident acknowledged",
  symbol: "eyes",
  effect: "acknowledge",
  audiences: EVERYBODY,
  example: { isByUser: true, state: "acknowledged", detail: () => ({ previousState: "open" }) },
});
