import { LaneFull } from "@svc/openapi";
import { textPreview } from "../base/storable-text.ts";
import { BodyUnreadable } from "../http/body.ts";
import { BODY_BYTES_MAX } from "../http/response.ts";
import { RunnerFailure } from "../run/failures.ts";
import { type AssertionJudgement, defineBodyAssertion } from "./define.ts";

/** Most problems that the message names. */
const PROBLEMS_SHOWN_MAX = 10;

/**
 * Judges whether the response conforms to the operation of an API spec: status, content type and body, and
 * headers on request. A spec that the runner can't load is its own failure (RunnerFailure), never the target's.
 */
export const openapiConformance = defineBodyAssertion("openapi_conformance", {
  judge: async (
    { specId, operationPath, validateHeaders },
    measurement,
    { openApiSpecs },
  ): Promise<AssertionJudgement> => {
    const { method, url, httpStatusCode, headers, body } = measurement;
    const expected = operationPath ?? specId;
    if (!openApiSpecs)
      throw new RunnerFailure("unsupported", "this runner has no access to API specs (openapi_conformance)");
    const spec = await openApiSpecs.get(specId).catch((error: unknown) => {
      throw new RunnerFailure("network", `the API spec ${specId} could not be loaded by the runner`, {
        cause: error,
      });
    });
    if (!spec)
      return { passed: false, expected, actual: null, message: `the API spec ${specId} does not exist` };
    if (body.wasCut)
      throw new BodyUnreadable(`is longer than ${BODY_BYTES_MAX} bytes, of which no more are read`);
    const conformance = await spec
      .judge({
        method,
        url: url.href,
        status: httpStatusCode,
        headers: headers.toRecord(),
        bodyText: body.text(),
        contentType: headers.get("content-type"),
        ...(operationPath === undefined ? {} : { operationPath }),
        validateHeaders,
      })
      .catch((error: unknown) => {
        if (error instanceof LaneFull) throw new RunnerFailure("capacity", error.message, { cause: error });
        throw error;
      });
    return {
      passed: conformance.conforms,
      expected: conformance.operation ?? expected,
      actual: conformance.conforms
        ? "conforms"
        : conformance.problems.slice(0, PROBLEMS_SHOWN_MAX).map(textPreview),
      message: problemsMessage(conformance.problems),
    };
  },
});

function problemsMessage(problems: readonly string[]): string {
  const more = problems.length - PROBLEMS_SHOWN_MAX;
  const shown = problems.slice(0, PROBLEMS_SHOWN_MAX).map(textPreview).join("; ");
  return more > 0 ? `${shown}; and ${more} more` : shown;
}
