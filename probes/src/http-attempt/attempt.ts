/**
 * One attempt at a URL: the request with its redirects, within one time limit, and its assertions. HTTP checks are made of
 * attempts; personas and readiness probes send requests of their own by them.
 */
import type { Assertion, AssertionResult, TlsFacts } from "@svc/contract";
import { judgeAssertions } from "../assertions/judge.ts";
import { ResponseBody } from "../http/body.ts";
import { followRedirects, type RedirectLimits } from "../http/follow-redirects.ts";
import { responseBefore } from "../http/http-failure.ts";
import type { HttpRequest } from "../http/request.ts";
import type { HttpResponse } from "../http/response.ts";
import type { ConnectionSettings } from "../run/connection-settings.ts";
import { internalFault, RunnerFailure, TargetFailure } from "../run/failures.ts";
import type { JudgedAttempt } from "../run/judged-attempt.ts";
import type { PhaseTimes } from "../run/outcome.ts";
import type { RunContext } from "../run/probe.ts";
import type { RunScope } from "../run/run-scope.ts";
import { openScope } from "../run/time-limit.ts";

/** The plan of one attempt: request, time limit and assertions. */
export interface HttpAttemptPlan {
  request: HttpRequest;
  redirects: RedirectLimits;
  timeoutMs: number;
  /** Keep the whole body (up to its limit) even when nothing has failed. */
  keepsBody: boolean;
  /** One of the assertions reads the body. */
  readsBody: boolean;
  assertions: readonly Assertion[];
  /** The check's own settings of its connections; undefined: it has none. */
  connection: ConnectionSettings | undefined;
}

/** A judged attempt with everything that was received. */
export interface HttpAttempt extends JudgedAttempt {
  /** Complete unless the status is error or timeout. */
  response: HttpResponse | undefined;
  body: ResponseBody | undefined;
  assertions: AssertionResult[];
  tls: TlsFacts | undefined;
  phases: PhaseTimes;
}

/**
 * Carries out an attempt.
 * @throws RunnerFailure for a problem of this runner, and nothing else
 */
export async function runHttpAttempt(plan: HttpAttemptPlan, context: RunContext): Promise<HttpAttempt> {
  const startedAtMs = context.nowMs();
  const { timeoutMs, keepsBody, connection } = plan;
  const { scope, close } = openScope({ url: plan.request.url, timeoutMs, keepsBody, connection }, context);
  try {
    const response = await followRedirects(plan.request, plan.redirects, scope);
    const responseTimeUs = scope.clock.elapsedUs();
    close();
    return await judged(plan, context, { response, responseTimeUs, scope, startedAtMs });
  } catch (error) {
    if (!(error instanceof TargetFailure))
      throw error instanceof RunnerFailure ? error : internalFault(error);
    return await failed(error, scope, startedAtMs);
  } finally {
    close();
  }
}

async function judged(
  plan: HttpAttemptPlan,
  context: RunContext,
  received: { response: HttpResponse; responseTimeUs: number; scope: RunScope; startedAtMs: number },
): Promise<HttpAttempt> {
  const { response, responseTimeUs, scope, startedAtMs } = received;
  const { tls } = scope;
  const body = new ResponseBody(response, context.bodyClaim);
  if (plan.readsBody) await body.prepare();
  const assertions =
    plan.assertions.length === 0
      ? []
      : await judgeAssertions(
          plan.assertions,
          {
            url: response.url,
            timing: { totalMs: responseTimeUs / 1000 },
            tls,
            nowMs: context.nowMs(),
            response: {
              url: response.url,
              method: response.method,
              httpStatusCode: response.httpStatusCode,
              headers: response.headers,
              body,
            },
          },
          context,
        );
  const broken = assertions.filter(({ passed }) => !passed);
  const common = { isNetworkError: false, response, body, assertions, tls, startedAtMs, responseTimeUs };
  const phases = scope.clock.times();
  if (broken.length === 0) return { status: "success", ...common, phases };
  return {
    status: "failure",
    errorCategory: "assertion",
    errorMessage: assertionMessage(broken),
    ...common,
    phases,
  };
}

async function failed(failure: TargetFailure, scope: RunScope, startedAtMs: number): Promise<HttpAttempt> {
  const response = responseBefore(failure);
  const responseTimeUs = scope.clock.elapsedUs();
  const body = response && new ResponseBody(response, scope.bodyClaim);
  await body?.prepare();
  return {
    status: failure.status,
    errorCategory: failure.category,
    errorMessage: failure.message,
    isNetworkError: failure.isNetworkError,
    response,
    body,
    assertions: [],
    tls: scope.tls,
    startedAtMs,
    responseTimeUs,
    phases: scope.clock.times(),
  };
}

function assertionMessage(broken: readonly AssertionResult[]): string {
  const [first, ...others] = broken;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return `${first?.type}: ${first?.message}${more}`;
}
