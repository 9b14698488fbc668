/** One attempt of an HTTP check with everything it measured, for a person who tries the check out. */
import type { AssertionResult, HttpConfig, ResultStatus } from "@svc/contract";
import { readsBody } from "../assertions/judge.ts";
import type { RedirectReview } from "../http/follow-redirects.ts";
import { firstRequest } from "../http/request.ts";
import { runHttpAttempt } from "../http-attempt/attempt.ts";
import { RunnerFailure } from "../run/failures.ts";
import type { ProbeContext } from "../run/probe.ts";

/** The result of a single attempt. */
export interface HttpOnce {
  status: ResultStatus;
  /** Absent when no response came. */
  httpStatusCode?: number;
  responseTimeUs: number;
  /** Results in the order of the check's assertions; present on a success, too. */
  assertions: AssertionResult[];
  errorMessage?: string;
}

/**
 * Sends the request once, without retries, personas and readiness probes.
 * @param context.reviewRedirect asked before each redirect is followed
 */
export async function runHttpOnce(
  config: HttpConfig,
  context: ProbeContext & { reviewRedirect?: RedirectReview },
): Promise<HttpOnce> {
  const { reviewRedirect } = context;
  const { followRedirects, maxRedirects, timeoutMs, assertions } = config;
  const looksIntoBody = readsBody(assertions);
  try {
    const attempt = await runHttpAttempt(
      {
        request: firstRequest(config, { userAgent: context.userAgent }),
        redirects: { followRedirects, maxRedirects, ...(reviewRedirect ? { review: reviewRedirect } : {}) },
        timeoutMs,
        keepsBody: looksIntoBody,
        readsBody: looksIntoBody,
        assertions,
      },
      context,
    );
    return {
      status: attempt.status,
      ...(attempt.response ? { httpStatusCode: attempt.response.httpStatusCode } : {}),
      responseTimeUs: attempt.responseTimeUs,
      assertions: attempt.assertions,
      ...(attempt.errorMessage === undefined ? {} : { errorMessage: attempt.errorMessage }),
    };
  } catch (error) {
    if (!(error instanceof RunnerFailure)) throw error;
    return { status: "error", responseTimeUs: 0, assertions: [], errorMessage: error.message };
  }
}
