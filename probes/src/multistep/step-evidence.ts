/** The parts of a result that tell of one step: its place in the run, its request, its response. */
import { maskUrl, type ResultDetail, type ResultStep } from "@svc/contract";
import { textStart } from "../base/storable-text.ts";
import { evidenceOf } from "../http/evidence.ts";
import { BODY_BYTES_MAX } from "../http/response.ts";
import type { HttpAttempt } from "../http-attempt/attempt.ts";
import type { JudgedAttempt } from "../run/judged-attempt.ts";
import type { PhaseTimes } from "../run/outcome.ts";
import type { FilledRequest } from "./fill-request.ts";
import type { Step, StepRequest } from "./step.ts";

/** Longest URL that a result lists, characters. */
const URL_SHOWN_MAX = 2_000;

/** The judgement of one step. */
export type StepJudgement = Pick<
  JudgedAttempt,
  "status" | "errorCategory" | "errorMessage" | "isNetworkError"
>;

/** Returns a step as a result lists it beside those of a script. */
export function resultStep(
  { name }: Step,
  { status, errorMessage }: StepJudgement,
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

/** Returns the request of a step that was not carried out. */
export function skipped({ name, method, url }: Step): StepRequest {
  return { name, status: "skipped", method, url: shownUrl(url) };
}

/** Returns the request of a step that was carried out. */
export function requestOf({
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
  return textStart(maskUrl(url), URL_SHOWN_MAX);
}

function inMs(phases: PhaseTimes): Omit<NonNullable<StepRequest["timing"]>, "totalMs"> {
  return Object.fromEntries(
    Object.entries(phases).map(([name, us]) => [name.replace(/Us$/, "Ms"), us / 1000]),
  );
}

/** Returns the response as evidence, with its body; undefined when there was none. */
export async function responseOf({ response, body }: HttpAttempt): Promise<ResultDetail["response"]> {
  if (!response || !body) return undefined;
  await body.prepare();
  return evidenceOf(response, body);
}

/** Returns the notes that a run shows about a step. */
export function notesOf({ name }: Step, { response, body }: HttpAttempt): string[] {
  return body?.wasCut || response?.wasCut
    ? [`step "${name}": the body is longer than ${BODY_BYTES_MAX} bytes; no more were read, timed or judged`]
    : [];
}
