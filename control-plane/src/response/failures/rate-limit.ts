import { defineFailureReason } from "./define-reason.ts";

const TOO_MANY_REQUESTS = 429;

/** The target, or a gateway before it, limits the rate of requests. */
export const rateLimit = defineFailureReason("rate_limit", {
  explains: ({ httpStatusCode }) => httpStatusCode === TOO_MANY_REQUESTS,
  phrase: () => "answers 429: it limits the rate of requests",
  advice: "raise the limit for the checks, or run them less often",
  isForeign: true,
});
