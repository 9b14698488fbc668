import { defineFailureReason } from "./define-reason.ts";

const REDIRECTS = { from: 300, to: 399 };

/** The target's redirects never end, or lead nowhere. A redirect that a check follows is never its answer. */
export const redirectLoop = defineFailureReason("redirect_loop", {
  explains: ({ category, httpStatusCode, message }) =>
    category === "http" &&
    ((httpStatusCode !== null && httpStatusCode >= REDIRECTS.from && httpStatusCode <= REDIRECTS.to) ||
      // The code by which browsers give a page up.
      message?.includes("ERR_TOO_MANY_REDIRECTS") === true),
  phrase: () => "has redirects that lead to no answer",
  advice: "follow its redirects by hand",
});
