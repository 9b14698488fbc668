/** One attempt at all steps: each is a request with its redirects, judged before the next one; the first that does not succeed ends the run. */
import {
  type AssertionResult,
  maskUrl,
  REDACTED,
  type ResultDetail,
  type ResultStep,
  type TlsFacts,
} from "@svc/contract";
import { readsBody } from "../assertions/judge.ts";
import { textPreview } from "../base/storable-text.ts";
import { CookieJar } from "../http/cookies.ts";
import { evidenceOf } from "../http/evidence.ts";
import type { RedirectReview } from "../http/follow-redirects.ts";
import { firstRequest, withHeader } from "../http/request.ts";
import { BODY_BYTES_MAX } from "../http/response.ts";
import { type HttpAttempt, runHttpAttempt } from "../http-attempt/attempt.ts";
import { connectionSettingsOf } from "../run/connection-settings.ts";
import type { JudgedAttempt } from "../run/judged-attempt.ts";
import type { PhaseTimes } from "../run/outcome.ts";
import { monotonicUs } from "../run/phase-clock.ts";
import type { RunContext } from "../run/probe.ts";
import { claimBodies } from "../run/run-result.ts";
import { extractsFromBody, extractTexts } from "./extract.ts";
import { type FilledRequest, fillRequest } from "./fill-request.ts";
import { looksSecret, secretHider, secretNamesOf } from "./secret-values.ts";
import {
  type ExtractedValue,
  type MultistepConfig,
  type Step,
  StepProblem,
  type StepRequest,
} from "./step.ts";

/** Longest URL and longest value that a result lists. */
const [URL_SHOWN_MAX, VALUE_SHOWN_MAX] = [2_000, 200];

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
  judged: Pick<JudgedAttempt, "status" | "errorCategory" | "errorMessage" | "isNetworkError">;
  request: StepRequest;
  step: ResultStep;
  response: ResultDetail["response"];
  notes: string[];
}

/** State that the steps pass on. */
interface Passed {
  values: Map<string, ExtractedValue>;
  /** Texts that no result shows. */
  secrets: string[];
  cookies: CookieJar;
  startedUs: number;
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
      texts instanceof StepProblem || texts.length === 0 ? [] : keepValues(step, texts, { plan, passed });
    const judged = problem ? failureOf(problem) : judgementOf(attempt, plan);
    // The response of a step that failed is kept: its secrets are looked for, although nothing goes on with them.
    if (judged.status !== "success") await noteSecrets(step, attempt, { plan, passed });
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

/** Returns the texts of the step's values, or why there are none. */
async function extracted(step: Step, { response, body }: HttpAttempt): Promise<string[] | StepProblem> {
  if (step.extract.length === 0 || !response || !body) return [];
  try {
    return await extractTexts(step, { response, body });
  } catch (error) {
    if (error instanceof StepProblem) return error;
    throw error;
  }
}

/** Keeps the values for later steps. @returns them as a result lists them */
function keepValues(
  step: Step,
  texts: readonly string[],
  { plan, passed }: { plan: StepsPlan; passed: Passed },
): NonNullable<StepRequest["values"]> {
  const secretNames = secretNamesOf(plan.config);
  return step.extract.map(({ name }, at) => {
    const text = texts[at] as string;
    const isSecret = secretNames.has(name) || looksSecret(text);
    passed.values.set(name, { name, text, isSecret });
    if (isSecret) passed.secrets.push(text);
    const shown = text.length > VALUE_SHOWN_MAX ? `${text.slice(0, VALUE_SHOWN_MAX)}...` : text;
    return { name, value: isSecret ? REDACTED : textPreview(shown), isMasked: isSecret };
  });
}

/** Notes the secrets among a step's values, each of those that can be extracted, so that they are hidden. */
async function noteSecrets(
  step: Step,
  attempt: HttpAttempt,
  { plan, passed }: { plan: StepsPlan; passed: Passed },
): Promise<void> {
  const secretNames = secretNamesOf(plan.config);
  for (const one of step.extract) {
    const texts = await extracted({ ...step, extract: [one] }, attempt);
    const [text] = texts instanceof StepProblem ? [] : texts;
    if (text !== undefined && (secretNames.has(one.name) || looksSecret(text))) passed.secrets.push(text);
  }
}

/** Basic credentials with a value in them travel in another form, which a target may repeat. */
function noteBasicAuth({ auth }: FilledRequest, { secrets, values }: Passed): void {
  if (auth?.type === "basic" && values.size > 0)
    secrets.push(Buffer.from(`${auth.username}:${auth.password}`).toString("base64"));
}

function judgementOf(attempt: HttpAttempt, { config: { timeoutMs } }: StepsPlan): StepRun["judged"] {
  const { status, errorCategory, errorMessage, isNetworkError } = attempt;
  const limit = status === "timeout" ? `; all steps together may take ${timeoutMs} ms` : "";
  return {
    status,
    isNetworkError,
    ...(errorCategory ? { errorCategory } : {}),
    ...(errorMessage === undefined ? {} : { errorMessage: errorMessage + limit }),
  };
}

function failureOf(problem: StepProblem): StepRun["judged"] {
  return {
    status: "failure",
    errorCategory: "assertion",
    errorMessage: problem.message,
    isNetworkError: false,
  };
}

function resultStep(
  { name }: Step,
  { status, errorMessage }: StepRun["judged"],
  { startedAtMs, durationMs }: { startedAtMs: number; durationMs: number },
): ResultStep {
  return {
    name,
    status,
    durationMs,
    startedAt: new Date(startedAtMs).toISOString(),
    ...(errorMessage === undefined ? {} : { errorMessage }),
  };
}

function skipped({ name, method, url }: Step): StepRequest {
  return { name, status: "skipped", method, url: shownUrl(url) };
}

function requestOf({
  step,
  filled,
  attempt,
  status,
  values,
}: {
  step: Step;
  filled: FilledRequest;
  attempt: HttpAttempt;
  status: StepRequest["status"];
  values: NonNullable<StepRequest["values"]>;
}): StepRequest {
  const { response, assertions, phases, responseTimeUs } = attempt;
  return {
    name: step.name,
    status,
    method: step.method,
    url: shownUrl(filled.url),
    ...(response ? { httpStatusCode: response.httpStatusCode } : {}),
    timing: { ...inMs(phases), totalMs: responseTimeUs / 1000 },
    ...(assertions.length > 0 ? { assertions } : {}),
    ...(values.length > 0 ? { values } : {}),
  };
}

function shownUrl(url: string): string {
  const masked = maskUrl(url);
  return masked.length > URL_SHOWN_MAX ? `${masked.slice(0, URL_SHOWN_MAX)}...` : masked;
}

function inMs(phases: PhaseTimes): Omit<NonNullable<StepRequest["timing"]>, "totalMs"> {
  return Object.fromEntries(
    Object.entries(phases).map(([name, us]) => [name.replace(/Us$/, "Ms"), us / 1000]),
  );
}

async function responseOf({ response, body }: HttpAttempt): Promise<ResultDetail["response"]> {
  if (!response || !body) return undefined;
  await body.prepare();
  return evidenceOf(response, body);
}

function notesOf({ name }: Step, { response, body }: HttpAttempt): string[] {
  return body?.wasCut || response?.wasCut
    ? [`step "${name}": the body is longer than ${BODY_BYTES_MAX} bytes; no more were read, timed or judged`]
    : [];
}

function sumOfPhases(runs: readonly StepRun[]): PhaseTimes {
  const sums: PhaseTimes = {};
  for (const { attempt } of runs)
    for (const [name, us] of Object.entries(attempt?.phases ?? {}))
      sums[name as keyof PhaseTimes] = (sums[name as keyof PhaseTimes] ?? 0) + us;
  return sums;
}
