import { defineOccasion, EVERYBODY } from "./define-occasion.ts";

/** A person reopened the incident. */
export const reopened = defineOccasion("reopened", {
  words: "incident reopened",
  symbol: "repeat",
  effect: "raise",
  reopens: () => true,
  audiences: EVERYBODY,
  example: { isByUser: true, detail: () => ({ previousState: "closed" }) },
});
