import { codesOf, defineFailureReason } from "./define-reason.ts";

const CODES = new Set([401, 403, 407]);

/** The target refuses the credentials that the check sends, or wants some. */
export const accessRefused = defineFailureReason("access_refused", {
  explains: ({ httpStatusCode }) => CODES.has(httpStatusCode ?? 0),
  phrase: (failures) => `answers ${codesOf(failures)}: it refuses the credentials or the caller`,
  advice: "look whether the check's credentials expired or lost their rights",
});
