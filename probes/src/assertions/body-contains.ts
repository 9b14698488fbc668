import { textPreview } from "../base/storable-text.ts";
import { BODY_BYTES_MAX } from "../http/response.ts";
import { defineBodyAssertion } from "./define.ts";

/**
 * Passes when the decoded body contains `value`, case-sensitively. Of a longer body the first `BODY_BYTES_MAX` bytes are
 * searched.
 */
export const bodyContains = defineBodyAssertion("body_contains", {
  expectedOf: ({ value }) => value,
  judge: ({ value }, { body }) => {
    const text = body.text();
    const scope = body.wasCut
      ? `the first ${BODY_BYTES_MAX} bytes of the body (no more are read)`
      : "the body";
    return {
      passed: text.includes(value),
      expected: value,
      actual: textPreview(text),
      message: `${scope} does not contain "${textPreview(value)}"`,
    };
  },
});
