/** Repeats a check's request under the user agents of AI crawlers, and compares their answers with the check's own. */
import type { PersonaId, ResultDetail } from "@svc/contract";
import pMap from "p-map";
import { textPreview } from "../base/storable-text.ts";
import { newTraceContext } from "../http/trace-context.ts";
import { type HttpAttempt, type HttpAttemptPlan, runHttpAttempt } from "../http-attempt/attempt.ts";
import type { RunContext } from "../run/probe.ts";
import { PERSONAS } from "./catalogue.ts";
import { challengeMark } from "./challenge.ts";
import { type Answer, divergenceOf } from "./divergence.ts";

/** The part of a result's detail that compares the personas' answers with the check's own. */
export type PersonaParity = NonNullable<ResultDetail["agentPersonaParityJson"]>;
type PersonaEntry = PersonaParity["results"][number];

/** Few enough that the personas don't run into a site's rate limit. */
const REQUESTS_AT_ONCE = 2;

/** The personas to try, and the attempt that they are compared with. */
export interface PersonasInput {
  personas: readonly PersonaId[];
  plan: HttpAttemptPlan;
  /** The check's own attempt, with a response. */
  baseline: HttpAttempt;
}

/**
 * Sends the request once per persona.
 * @returns an entry per persona, in their order
 * @throws RunnerFailure
 */
export async function runPersonas(
  { personas, plan, baseline }: PersonasInput,
  context: RunContext,
): Promise<PersonaParity> {
  const baselineAnswer = await answerOf(baseline);
  const entryFor = async (persona: PersonaId) =>
    entryOf(persona, await runHttpAttempt(planAs(persona, plan), context), baselineAnswer);
  const results = await pMap(personas, entryFor, { concurrency: REQUESTS_AT_ONCE });
  return {
    baselineBodyBytes: baseline.body?.size ?? 0,
    baselineContentType: contentTypeOf(baseline),
    results,
  };
}

/** Returns why the run fails because of its personas, or undefined when none diverged. */
export function divergenceMessage({ results }: PersonaParity): string | undefined {
  const diverged = results.filter(({ divergence }) => divergence !== undefined);
  const [first] = diverged;
  if (!first) return undefined;
  const more = diverged.length === 1 ? "" : ` (and ${diverged.length - 1} more)`;
  return `persona ${first.persona} diverges, ${first.divergence}: ${first.divergenceReason}${more}`;
}

function planAs(persona: PersonaId, plan: HttpAttemptPlan): HttpAttemptPlan {
  const replaced = new Set(["user-agent", "traceparent"]);
  const others = plan.request.headers.filter(([name]) => !replaced.has(name.toLowerCase()));
  const { userAgent } = PERSONAS[persona];
  const { traceparent } = newTraceContext();
  const headers = [["User-Agent", userAgent] as const, ["traceparent", traceparent] as const, ...others];
  return { ...plan, request: { ...plan.request, headers } };
}

async function answerOf(attempt: HttpAttempt): Promise<Answer> {
  const { response, body } = attempt;
  await body?.prepare();
  return {
    status: attempt.status,
    errorMessage: attempt.errorMessage,
    httpStatusCode: response?.httpStatusCode,
    challenge: response && body ? challengeMark(response.headers, body.textOrNothing()) : undefined,
    assertions: attempt.assertions,
  };
}

async function entryOf(persona: PersonaId, attempt: HttpAttempt, baseline: Answer): Promise<PersonaEntry> {
  const answer = await answerOf(attempt);
  return {
    persona,
    status: attempt.status,
    httpStatusCode: answer.httpStatusCode ?? null,
    responseTimeMs: attempt.responseTimeUs / 1000,
    startedAt: new Date(attempt.startedAtMs).toISOString(),
    bodyBytes: attempt.body?.size ?? 0,
    contentType: contentTypeOf(attempt),
    ...divergenceOf(baseline, answer),
  };
}

function contentTypeOf({ response }: HttpAttempt): string | null {
  const contentType = response?.headers.get("content-type");
  return contentType === undefined ? null : textPreview(contentType);
}
