/** One attempt at all steps: each is a request with its redirects, judged before the next one; the first that does not succeed ends the run. */
import type { AssertionResult, ResultDetail, ResultStep, TlsFacts } from "@svc/contract";
import { readsBody } from "../assertions/judge.ts";
import { CookieJar } from "../http/cookies.ts";
import type { RedirectReview } from "../http/follow-redirects.ts";
import { firstRequest, withHeader } from "../http/request.ts";
import { type HttpAttempt, runHttpAttempt } from "../http-attempt/attempt.ts";
import { connectionSettingsOf } from "../run/connection-settings.ts";
import type { JudgedAttempt } from "../run/judged-attempt.ts";
import type { PhaseTimes } from "../run/outcome.ts";
import { monotonicUs } from "../run/phase-clock.ts";
import type { RunContext } from "../run/probe.ts";
import { claimBodies } from "../run/run-result.ts";
import { extractsFromBody } from "./extract.ts";
import { type FilledRequest, fillRequest } from "./fill-request.ts";
import { extracted, keepValues, noteBasicAuth, noteSecrets, type Passed } from "./passed-values.ts";
import { secretHider } from "./secret-values.ts";
import { type MultistepConfig, type Step, StepProblem, type StepRequest } from "./step.ts";
import { notesOf, requestOf, responseOf, resultStep, type StepJudgement, skipped } from "./step-evidence.ts";

/** An attempt at all steps, without a secret value in any of its texts. */
export interface StepsAttempt extends JudgedAttempt {
  httpStatusCode: number | undefined;
  phases: PhaseTimes;
  assertions: AssertionResult[];
  /** TLS facts of the first step. */
  tls: TlsFacts | undefined;
  steps: ResultStep[];
  requests: StepRequest[];
  /** Response of the last step that was carried out, when that did not succeed or the run keeps it. */
  response: ResultDetail["response"];
  notes: string[];
}

/** What all steps share. */
export interface StepsPlan {
  config: MultistepConfig;
  /** Sent with each request, unless a step has a header of that name. */
  traceparent: string;
  keepsResponse: boolean;
  /** Decides about redirects. */
  review?: RedirectReview | undefined;
}

/** A step that was carried out. */
interface StepRun {
  /** Absent: nothing was sent. */
  attempt: HttpAttempt | undefined;
  judged: StepJudgement;
  request: StepRequest;
  step: ResultStep;
  response: ResultDetail["response"];
  notes: string[];
}

/**
 * Carries out the steps.
 * @throws RunnerFailure for a problem of this runner, and nothing else
 */
export async function runSteps(plan: StepsPlan, context: RunContext): Promise<StepsAttempt> {
  const { steps } = plan.config;
  const startedAtMs = context.nowMs();
  const passed: Passed = {
    values: new Map(),
    secrets: [],
    cookies: new CookieJar(),
    startedUs: monotonicUs(),
  };
  const runs: StepRun[] = [];
  for (const step of steps) {
    const run = await runStep(step, { plan, passed, isLast: runs.length === steps.length - 1 }, context);
    runs.push(run);
    if (run.judged.status !== "success") break;
  }
  const last = runs.at(-1) as StepRun;
  const { errorMessage, ...judged } = last.judged;
  const attempt: StepsAttempt = {
    ...judged,
    ...(errorMessage === undefined ? {} : { errorMessage: `step "${last.step.name}": ${errorMessage}` }),
    startedAtMs,
    responseTimeUs: runs.reduce((sum, { attempt: one }) => sum + (one?.responseTimeUs ?? 0), 0),
    httpStatusCode: last.attempt?.response?.httpStatusCode,
    phases: sumOfPhases(runs),
    assertions: runs.flatMap(({ attempt: one }) => one?.assertions ?? []),
    tls: runs[0]?.attempt?.tls,
    steps: runs.map(({ step }) => step),
    requests: [...runs.map(({ request }) => request), ...steps.slice(runs.length).map(skipped)],
    response: last.response,
    notes: runs.flatMap(({ notes }) => notes),
  };
  return withoutValues(attempt, secretHider(passed.secrets));
}

/** Hides secret values in all that a target may have repeated: never in words that are the probe's own, such as the status. */
function withoutValues(attempt: StepsAttempt, hide: <Part>(part: Part) => Part): StepsAttempt {
  const hideResults = (results: readonly AssertionResult[]) =>
    results.map(({ type, passed, ...texts }) => ({ type, passed, ...hide(texts) }));
  const hideMessage = <Part extends { errorMessage?: string }>(part: Part): Part =>
    part.errorMessage === undefined ? part : { ...part, errorMessage: hide(part.errorMessage) };
  return {
    ...hideMessage(attempt),
    assertions: hideResults(attempt.assertions),
    steps: attempt.steps.map(hideMessage),
    requests: attempt.requests.map(({ assertions, values, ...request }) => ({
      ...request,
      url: hide(request.url),
      ...(assertions ? { assertions: hideResults(assertions) } : {}),
      ...(values ? { values: values.map((one) => ({ ...one, value: hide(one.value) })) } : {}),
    })),
    response: hide(attempt.response),
  };
}

async function runStep(
  step: Step,
  { plan, passed, isLast }: { plan: StepsPlan; passed: Passed; isLast: boolean },
  context: RunContext,
): Promise<StepRun> {
  const bodyClaim = claimBodies(context);
  const startedAtMs = context.nowMs();
  try {
    const filled = fillRequest(step, passed.values);
    noteBasicAuth(filled, passed);
    const attempt = await send(step, { plan, passed, filled }, { ...context, bodyClaim });
    const texts = attempt.status === "success" ? await extracted(step, attempt) : [];
    const problem = texts instanceof StepProblem ? texts : undefined;
    const values =
      texts instanceof StepProblem || texts.length === 0
        ? []
        : keepValues(step, texts, { config: plan.config, passed });
    const judged = problem ? failureOf(problem) : judgementOf(attempt, plan);
    // The response of a step that failed is kept: its secrets are looked for, although nothing goes on with them.
    if (judged.status !== "success") await noteSecrets(step, attempt, { config: plan.config, passed });
    const keepsResponse = judged.status !== "success" || (plan.keepsResponse && isLast);
    return {
      attempt,
      judged,
      request: requestOf({ step, filled, attempt, status: judged.status, values }),
      step: resultStep(step, judged, { startedAtMs, durationMs: attempt.responseTimeUs / 1000 }),
      response: keepsResponse ? await responseOf(attempt) : undefined,
      notes: notesOf(step, attempt),
    };
  } catch (error) {
    if (!(error instanceof StepProblem)) throw error;
    const judged = failureOf(error);
    return {
      attempt: undefined,
      judged,
      request: { ...skipped(step), status: judged.status },
      step: resultStep(step, judged, { startedAtMs, durationMs: 0 }),
      response: undefined,
      notes: [],
    };
  } finally {
    bodyClaim.release();
  }
}

function send(
  step: Step,
  { plan, passed, filled }: { plan: StepsPlan; passed: Passed; filled: FilledRequest },
  context: RunContext,
): Promise<HttpAttempt> {
  const { followRedirects, maxRedirects, assertions } = step;
  const request = firstRequest(filled, { userAgent: context.userAgent });
  const hasOwnTrace = request.headers.some(([name]) => name.toLowerCase() === "traceparent");
  const looksIntoBody = readsBody(assertions) || extractsFromBody(step);
  return runHttpAttempt(
    {
      request: hasOwnTrace ? request : withHeader(request, "traceparent", plan.traceparent),
      redirects: {
        followRedirects,
        maxRedirects,
        cookies: passed.cookies,
        ...(plan.review ? { review: plan.review } : {}),
      },
      timeoutMs: leftMs(plan, passed),
      keepsBody: looksIntoBody,
      readsBody: looksIntoBody,
      assertions,
      connection: connectionSettingsOf(
        plan.config,
        plan.config.steps.map(({ url }) => url),
      ),
    },
    context,
  );
}

/** Returns the time that is left for the run, ms; at least 1, with which a request fails as one that takes too long. */
function leftMs({ config: { timeoutMs } }: StepsPlan, { startedUs }: Passed): number {
  return Math.max(1, Math.ceil(timeoutMs - (monotonicUs() - startedUs) / 1000));
}

function judgementOf(attempt: HttpAttempt, { config: { timeoutMs } }: StepsPlan): StepJudgement {
  const { status, errorCategory, errorMessage, isNetworkError } = attempt;
  const limit = status === "timeout" ? `; all steps together may take ${timeoutMs} ms` : "";
  return {
    status,
    isNetworkError,
    ...(errorCategory ? { errorCategory } : {}),
    ...(errorMessage === undefined ? {} : { errorMessage: errorMessage + limit }),
  };
}

function failureOf(problem: StepProblem): StepJudgement {
  return {
    status: "failure",
    errorCategory: "assertion",
    errorMessage: problem.message,
    isNetworkError: false,
  };
}

function sumOfPhases(runs: readonly StepRun[]): PhaseTimes {
  const sums: PhaseTimes = {};
  for (const { attempt } of runs)
    for (const [name, us] of Object.entries(attempt?.phases ?? {}))
      sums[name as keyof PhaseTimes] = (sums[name as keyof PhaseTimes] ?? 0) + us;
  return sums;
}
