/** Makes samples of stored results. Pure. */
import { type ErrorCategory, firstCharacters, type Result } from "@svc/contract";
import type { FailureEvidence } from "../failures/failure.ts";
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

/** Hides the check's credentials in a text. */
type Mask = (text: string) => string;

/** Returns the sample of a result, with the evidence of its detail where that was read. */
export function sampleOf(result: SampledResult, mask: Mask, evidence?: FailureEvidence): Sample {
  const { status, errorCategory, errorMessage, httpStatusCode, timing, slotAt } = result;
  const isSuccess = status === "success";
  const category: ErrorCategory | null = isSuccess ? null : (errorCategory ?? CATEGORY_OF_STATUS[status]);
  const message = errorMessage === null ? null : firstCharacters(mask(errorMessage), MESSAGE_MAX);
  return {
    slotMs: Date.parse(slotAt),
    isSuccess,
    category,
    message,
    httpStatusCode,
    timing,
    ...(evidence && { evidence: masked(evidence, mask) }),
  };
}

function masked({ pageError, ...evidence }: FailureEvidence, mask: Mask): FailureEvidence {
  return { ...evidence, pageError: pageError === null ? null : mask(pageError) };
}
