/**
 * The probe of HTTP checks: attempts until one succeeds or the retry policy ends, the extras of the last one, one
 * result.
 */
import type { HttpConfig, ResultDetail } from "@svc/contract";
import { readsBody } from "../assertions/judge.ts";
import { evidenceOf } from "../http/evidence.ts";
import { firstRequest, withHeader } from "../http/request.ts";
import { BODY_BYTES_MAX } from "../http/response.ts";
import { traceContextOf, traceIdOf } from "../http/trace-context.ts";
import { type HttpAttempt, type HttpAttemptPlan, runHttpAttempt } from "../http-attempt/attempt.ts";
import { runAttempts } from "../run/attempts.ts";
import { connectionSettingsOf } from "../run/connection-settings.ts";
import { fitDetail } from "../run/fit-detail.ts";
import type { ProbeOutcome } from "../run/outcome.ts";
import { monotonicUs } from "../run/phase-clock.ts";
import type { Probe, ProbeContext, ProbeRequest, RunContext } from "../run/probe.ts";
import { resultOfAttempts, retryDetail, runWithBodyClaim } from "../run/run-result.ts";
import { runHttpOnce } from "./once.ts";
import { runExtras } from "./run-extras.ts";

/** Carries out one run of an HTTP check within the memory that the agent allows for bodies. */
export const httpProbe = {
  type: "http",
  needsHost: false,
  run: (request, context) => runWithBodyClaim(context, (claimed) => runCheck(request, claimed)),
  once: (config, context) => runHttpOnce(config as HttpConfig, context),
} as const satisfies Probe;

async function runCheck(request: ProbeRequest, context: RunContext): Promise<ProbeOutcome> {
  const config = request.config as HttpConfig;
  const startedUs = monotonicUs();
  const { plan, traceId } = planOf(request, context);
  const attempts = await runAttempts({ retry: request.retry, startedUs }, context, () =>
    runHttpAttempt(plan, context),
  );
  const last = attempts[attempts.length - 1] as HttpAttempt;
  const extras = await runExtras({ config, plan, attempt: last, slot: request }, context);
  const detail = await detailOf(attempts, { extras, request });
  return {
    ...resultOfAttempts(attempts, last.response?.httpStatusCode, startedUs),
    ...(traceId === undefined ? {} : { traceId }),
    ...(detail ? { detail } : {}),
    ...(last.tls ? { facts: { tls: last.tls } } : {}),
  };
}

/** The parts that all runs of a configuration share. Made at its first run. */
interface Prepared {
  userAgent: string;
  plan: HttpAttemptPlan;
  /** The check's own traceparent header. When given, no new one is made. */
  ownTraceparent: string | undefined;
}

const preparedPlans = new WeakMap<HttpConfig, Prepared>();

function planOf(
  request: ProbeRequest,
  context: ProbeContext,
): { plan: HttpAttemptPlan; traceId: string | undefined } {
  const config = request.config as HttpConfig;
  const { userAgent } = context;
  let prepared = preparedPlans.get(config);
  if (prepared?.userAgent !== userAgent) {
    prepared = prepare(config, userAgent);
    preparedPlans.set(config, prepared);
  }
  const { plan, ownTraceparent } = prepared;
  if (ownTraceparent !== undefined) return { plan, traceId: traceIdOf(ownTraceparent) };
  const { traceId, traceparent } = traceContextOf(request, context);
  return { plan: { ...plan, request: withHeader(plan.request, "traceparent", traceparent) }, traceId };
}

function prepare(config: HttpConfig, userAgent: string): Prepared {
  const request = firstRequest(config, { userAgent });
  return {
    userAgent,
    plan: {
      request,
      redirects: { followRedirects: config.followRedirects, maxRedirects: config.maxRedirects },
      timeoutMs: config.timeoutMs,
      keepsBody:
        readsBody(config.assertions) ||
        config.agentPersonas?.enabled === true ||
        config.agentReadiness?.enabled === true,
      readsBody: readsBody(config.assertions),
      assertions: config.assertions,
      connection: connectionSettingsOf(config, [config.url]),
    },
    ownTraceparent: request.headers.find(([name]) => name.toLowerCase() === "traceparent")?.[1],
  };
}

/** Returns the result's detail; undefined for a plain success, which has nothing to add. */
async function detailOf(
  attempts: readonly HttpAttempt[],
  { extras, request }: { extras: ResultDetail; request: ProbeRequest },
): Promise<ResultDetail | undefined> {
  const last = attempts[attempts.length - 1] as HttpAttempt;
  const detail: ResultDetail = extras;
  const isSuccess = last.status === "success";
  if (last.assertions.length > 0 && (!isSuccess || request.keepsAssertions))
    detail.assertions = last.assertions;
  if (!isSuccess) {
    if (last.errorCategory) detail.errorCategory = last.errorCategory;
    if (last.errorMessage !== undefined) detail.errorMessage = last.errorMessage;
  }
  if ((!isSuccess || request.keepsResponse) && last.response && last.body) {
    await last.body.prepare();
    detail.response = evidenceOf(last.response, last.body);
  }
  if (last.body && last.response && (last.body.wasCut || last.response.wasCut))
    detail.notes = [`the body is longer than ${BODY_BYTES_MAX} bytes; no more were read, timed or judged`];
  Object.assign(
    detail,
    retryDetail(attempts, ({ response }) => response?.httpStatusCode),
  );
  return Object.keys(detail).length === 0 ? undefined : fitDetail(detail);
}
