import { defineOccasion, EVERYBODY } from "./define-occasion.ts";

/** A person closed the incident, or the service folded it into another. */
export const closed = defineOccasion("closed", {
  words: "incident closed",
  symbol: "lock",
  isEnding: true,
  effect: "end",
  audiences: EVERYBODY,
  summary: ({ payload }) => payload.reason ?? payload.hypothesis.summary,
  example: { isByUser: true, state: "closed", detail: () => ({ previousState: "acknowledged" }) },
});
