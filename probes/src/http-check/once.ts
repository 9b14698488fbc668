/** One attempt of an HTTP check with everything it measured, for a person who tries the check out. */
import type { HttpConfig } from "@svc/contract";
import { readsBody } from "../assertions/judge.ts";
import { firstRequest } from "../http/request.ts";
import { runHttpAttempt } from "../http-attempt/attempt.ts";
import { withoutSecrets } from "../http-attempt/without-secrets.ts";
import { connectionSettingsOf } from "../run/connection-settings.ts";
import { RunnerFailure } from "../run/failures.ts";
import type { Once, OnceContext } from "../run/probe.ts";

/** Sends the request once, without retries, personas and readiness probes. */
export async function runHttpOnce(config: HttpConfig, context: OnceContext): Promise<Once> {
  const { hasSecret } = context;
  const { followRedirects, maxRedirects, timeoutMs, assertions } = config;
  const looksIntoBody = readsBody(assertions);
  try {
    const attempt = await runHttpAttempt(
      {
        request: firstRequest(config, { userAgent: context.userAgent }),
        redirects: {
          followRedirects,
          maxRedirects,
          ...(hasSecret ? { review: withoutSecrets(hasSecret) } : {}),
        },
        timeoutMs,
        keepsBody: looksIntoBody,
        readsBody: looksIntoBody,
        assertions,
        connection: connectionSettingsOf(config, [config.url]),
      },
      context,
    );
    return {
      status: attempt.status,
      ...(attempt.response
        ? { httpStatusCode: attempt.response.httpStatusCode, responseTimeUs: attempt.responseTimeUs }
        : {}),
      assertions: attempt.assertions,
      ...(attempt.errorMessage === undefined ? {} : { errorMessage: attempt.errorMessage }),
    };
  } catch (error) {
    if (!(error instanceof RunnerFailure)) throw error;
    return { status: "error", assertions: [], errorMessage: error.message };
  }
}
