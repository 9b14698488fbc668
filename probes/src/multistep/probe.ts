/** The probe of multistep checks: attempts at all steps until one succeeds or the retry policy ends, and one result. */
import type { ResultDetail } from "@svc/contract";
import { newTraceContext, traceContextOf } from "../http/trace-context.ts";
import { withoutSecrets } from "../http-attempt/without-secrets.ts";
import { runAttempts } from "../run/attempts.ts";
import { RunnerFailure } from "../run/failures.ts";
import type { ProbeOutcome } from "../run/outcome.ts";
import { monotonicUs } from "../run/phase-clock.ts";
import type { Once, OnceContext, Probe, ProbeRequest, RunContext } from "../run/probe.ts";
import { resultOfAttempts, retryDetail, runWithBodyClaim } from "../run/run-result.ts";
import { fitSteps } from "./fit-steps.ts";
import { runSteps, type StepsAttempt } from "./run-steps.ts";
import type { MultistepConfig } from "./step.ts";

/** Carries out one run of a multistep check. */
export const multistepProbe = {
  type: "multistep",
  needsHost: false,
  run: (request, context) => runWithBodyClaim(context, (claimed) => runCheck(request, claimed)),
  once: (config, context) => runStepsOnce(config as MultistepConfig, context),
} as const satisfies Probe;

async function runCheck(request: ProbeRequest, context: RunContext): Promise<ProbeOutcome> {
  const config = request.config as MultistepConfig;
  const startedUs = monotonicUs();
  const { traceId, traceparent } = traceContextOf(request, context);
  const plan = { config, traceparent, keepsResponse: request.keepsResponse === true };
  const attempts = await runAttempts({ retry: request.retry, startedUs }, context, () =>
    runSteps(plan, context),
  );
  const last = attempts.at(-1) as StepsAttempt;
  return {
    ...resultOfAttempts(attempts, last.httpStatusCode, startedUs),
    traceId,
    detail: detailOf(attempts, request),
    ...(last.tls ? { facts: { tls: last.tls } } : {}),
  };
}

/** Carries out the steps once, for a person who tries the check out. */
async function runStepsOnce(config: MultistepConfig, context: OnceContext): Promise<Once> {
  const { hasSecret } = context;
  const { traceparent } = newTraceContext();
  const review = hasSecret && withoutSecrets(hasSecret);
  try {
    const attempt = await runSteps({ config, traceparent, keepsResponse: false, review }, context);
    const { status, httpStatusCode, responseTimeUs, assertions, errorMessage } = attempt;
    return {
      status,
      ...(httpStatusCode === undefined ? {} : { httpStatusCode, responseTimeUs }),
      assertions,
      ...(errorMessage === undefined ? {} : { errorMessage }),
    };
  } catch (error) {
    if (!(error instanceof RunnerFailure)) throw error;
    return { status: "error", assertions: [], errorMessage: error.message };
  }
}

/** Returns the result's detail: the steps of each run, and of one that did not succeed all evidence. */
function detailOf(attempts: readonly StepsAttempt[], request: ProbeRequest): ResultDetail {
  const last = attempts.at(-1) as StepsAttempt;
  const isKept = last.status !== "success" || request.keepsAssertions || request.keepsResponse;
  const detail: ResultDetail = {
    steps: last.steps,
    ...(isKept ? { stepRequestsJson: last.requests } : {}),
    ...(isKept && last.assertions.length > 0 ? { assertions: last.assertions } : {}),
    ...(last.errorCategory ? { errorCategory: last.errorCategory } : {}),
    ...(last.errorMessage === undefined ? {} : { errorMessage: last.errorMessage }),
    ...(last.response ? { response: last.response } : {}),
    ...(last.notes.length > 0 ? { notes: last.notes } : {}),
    ...retryDetail(attempts, ({ httpStatusCode }) => httpStatusCode),
  };
  return fitSteps(detail);
}
