/** Makes samples of stored results. Pure. */
import { type ErrorCategory, firstCharacters, type Result } from "@svc/contract";
import type { Sample } from "./input.ts";

/** Most characters of a message from the target that are kept. */
const MESSAGE_MAX = 300;

/** Error categories of results whose stored detail names none. */
const CATEGORY_OF_STATUS = { failure: "assertion", timeout: "timeout", error: "connect" } as const;

/** The part of a result that becomes a sample. */
export type SampledResult = Pick<
  Result,
  "status" | "errorCategory" | "errorMessage" | "httpStatusCode" | "timing" | "slotAt"
>;

/**
 * Returns the sample of a result.
 * @param mask hides the check's credentials in a text
 */
export function sampleOf(result: SampledResult, mask: (text: string) => string): Sample {
  const { status, errorCategory, errorMessage, httpStatusCode, timing, slotAt } = result;
  const isSuccess = status === "success";
  const category: ErrorCategory | null = isSuccess ? null : (errorCategory ?? CATEGORY_OF_STATUS[status]);
  const message = errorMessage === null ? null : firstCharacters(mask(errorMessage), MESSAGE_MAX);
  return { slotMs: Date.parse(slotAt), isSuccess, category, message, httpStatusCode, timing };
}
