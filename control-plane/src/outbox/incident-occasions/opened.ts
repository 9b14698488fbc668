import { alertSummaries, defineOccasion, EVERYBODY } from "./define-occasion.ts";

/** The first alert opened the incident. */
export const opened = defineOccasion("opened", {
  words: "incident opened",
  beginsThread: true,
  symbol: "rotating_light",
  effect: "raise",
  audiences: EVERYBODY,
  summary: (payload) =>
    [alertSummaries(payload), payload.payload.hypothesis.summary].filter(Boolean).join(" - "),
  example: { isAboutAlert: true },
});
