/**
 * A run of a check that measures one thing by one connection or one question: attempts until one succeeds or the retry policy ends,
 * assertions, one result. What is measured belongs to the check type.
 */
import type { Assertion, AssertionResult, ResultDetail, TlsFacts } from "@svc/contract";
import { judgeAssertions } from "../assertions/judge.ts";
import { runAttempts } from "../run/attempts.ts";
import type { ConnectionSettings } from "../run/connection-settings.ts";
import { internalFault, RunnerFailure, TargetFailure } from "../run/failures.ts";
import { fitDetail } from "../run/fit-detail.ts";
import type { JudgedAttempt } from "../run/judged-attempt.ts";
import type { PhaseTimes, ProbeOutcome } from "../run/outcome.ts";
import { monotonicUs } from "../run/phase-clock.ts";
import type { ProbeContext, ProbeRequest, RunContext } from "../run/probe.ts";
import { resultOfAttempts, retryDetail, runWithBodyClaim } from "../run/run-result.ts";
import type { RunScope } from "../run/run-scope.ts";
import { openScope } from "../run/time-limit.ts";

/** The measurement of a check type. */
export interface MeasuredRun {
  /** Names the target in messages and in the failure of a time limit. */
  url: URL;
  timeoutMs: number;
  assertions: readonly Assertion[];
  /** The check's own settings of its connections. Default: it has none. */
  connection?: ConnectionSettings | undefined;
  /** True when the bodies of HTTP responses are read. Default: false. */
  keepsBody?: boolean;
  /**
   * Measures once. Phases are those of the scope's clock. Evidence put into `detail` is kept by a run that fails, and by a
   * success that keeps its assertions.
   * @returns when the last that counts came, by monotonicUs; undefined: now
   * @throws TargetFailure for what the target did, RunnerFailure for what this runner did
   */
  measure(scope: RunScope, detail: Partial<ResultDetail>): Promise<number | undefined>;
}

interface MeasuredAttempt extends JudgedAttempt {
  phases: PhaseTimes;
  assertions: AssertionResult[];
  tls: TlsFacts | undefined;
  detail: Partial<ResultDetail>;
}

/** Carries out a run. Never rejects for anything the target does. */
export function runMeasured(
  request: ProbeRequest,
  context: ProbeContext,
  run: MeasuredRun,
): Promise<ProbeOutcome> {
  return runWithBodyClaim(context, async (claimed) => {
    const startedUs = monotonicUs();
    const attempts = await runAttempts({ retry: request.retry, startedUs }, claimed, () =>
      attempt(run, claimed),
    );
    const last = attempts[attempts.length - 1] as MeasuredAttempt;
    const result = resultOfAttempts(attempts, undefined, startedUs);
    const detail = detailOf(attempts, request);
    if (detail) result.detail = detail;
    if (last.tls) result.facts = { tls: last.tls };
    return result;
  });
}

async function attempt(run: MeasuredRun, context: RunContext): Promise<MeasuredAttempt> {
  const { url, timeoutMs, assertions, connection, keepsBody = false } = run;
  const startedAtMs = context.nowMs();
  const { scope, close } = openScope({ url, timeoutMs, keepsBody, connection }, context);
  const { clock } = scope;
  const detail: Partial<ResultDetail> = {};
  try {
    const endedUs = await run.measure(scope, detail);
    const responseTimeUs = endedUs === undefined ? clock.elapsedUs() : Math.round(endedUs - clock.startedUs);
    close();
    const judged = await judgeAssertions(
      assertions,
      { url, timing: { totalMs: responseTimeUs / 1000 }, tls: scope.tls, nowMs: context.nowMs() },
      context,
    );
    const passed: MeasuredAttempt = {
      status: "success",
      isNetworkError: false,
      startedAtMs,
      responseTimeUs,
      phases: clock.times(),
      assertions: judged,
      tls: scope.tls,
      detail,
    };
    return judged.every((assertion) => assertion.passed) ? passed : { ...passed, ...failureOf(judged) };
  } catch (error) {
    if (!(error instanceof TargetFailure))
      throw error instanceof RunnerFailure ? error : internalFault(error);
    clock.leave();
    const { status, category, message, isNetworkError } = error;
    const responseTimeUs = clock.elapsedUs();
    return {
      status,
      errorCategory: category,
      errorMessage: message,
      isNetworkError,
      startedAtMs,
      responseTimeUs,
      phases: clock.times(),
      assertions: [],
      tls: scope.tls,
      detail,
    };
  } finally {
    close();
  }
}

function failureOf(
  judged: readonly AssertionResult[],
): Pick<JudgedAttempt, "status" | "errorCategory" | "errorMessage"> {
  const [broken, ...others] = judged.filter(({ passed }) => !passed);
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return {
    status: "failure",
    errorCategory: "assertion",
    errorMessage: `${broken?.type}: ${broken?.message}${more}`,
  };
}

/** Returns the result's detail; undefined for a plain success, which has nothing to add. */
function detailOf(
  attempts: readonly MeasuredAttempt[],
  { keepsAssertions, keepsResponse }: ProbeRequest,
): ResultDetail | undefined {
  const last = attempts[attempts.length - 1] as MeasuredAttempt;
  const isSuccess = last.status === "success";
  if (isSuccess && !keepsAssertions && !keepsResponse && attempts.length === 1) return undefined;
  const detail: ResultDetail = {};
  if (!isSuccess || keepsAssertions || keepsResponse) Object.assign(detail, last.detail);
  if (last.assertions.length > 0 && (!isSuccess || keepsAssertions)) detail.assertions = last.assertions;
  if (last.errorCategory) detail.errorCategory = last.errorCategory;
  if (last.errorMessage !== undefined) detail.errorMessage = last.errorMessage;
  Object.assign(
    detail,
    retryDetail(attempts, () => undefined),
  );
  return Object.keys(detail).length === 0 ? undefined : fitDetail(detail);
}

/** Returns a target as a URL, for messages. @param scheme names the check type */
export function targetUrl(scheme: string, host: string, port: number): URL {
  return new URL(`${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`);
}
