/** Repeats a check's request presenting as AI crawlers, and compares what they get with what the check got. */
import type { AgentPersonas, PersonaId, ResultDetail } from "@svc/contract";
import { mapInTurns } from "../base/map-in-turns.ts";
import { textPreview } from "../base/storable-text.ts";
import { newTraceContext } from "../http/request.ts";
import { type Attempt, type AttemptPlan, runAttempt } from "../http-attempt/attempt.ts";
import type { ProbeContext } from "../run/probe.ts";
import { PERSONAS } from "./catalogue.ts";
import { challengeMark } from "./challenge.ts";
import { type Answer, divergenceOf } from "./divergence.ts";

export type PersonaParity = NonNullable<ResultDetail["agentPersonaParityJson"]>;
type PersonaEntry = PersonaParity["results"][number];

/** Few enough that a site's rate limit is not what the personas run into. */
const REQUESTS_AT_ONCE = 2;

/** @param baseline the check's own attempt, with a response  @throws RunnerFailure */
export async function runPersonas(
  { personas }: AgentPersonas,
  plan: AttemptPlan,
  baseline: Attempt,
  context: ProbeContext,
): Promise<PersonaParity> {
  const baselineAnswer = await answerOf(baseline);
  const results = await mapInTurns(personas, REQUESTS_AT_ONCE, async (persona) => {
    const attempt = await runAttempt(planAs(persona, plan), context);
    return entryOf(persona, attempt, baselineAnswer);
  });
  return {
    baselineBodyBytes: baseline.body?.size ?? 0,
    baselineContentType: contentTypeOf(baseline),
    results,
  };
}

/** Why the run fails for its personas, or undefined when none diverged. */
export function divergenceMessage({ results }: PersonaParity): string | undefined {
  const diverged = results.filter(({ divergence }) => divergence !== undefined);
  const [first] = diverged;
  if (!first) return undefined;
  const more = diverged.length === 1 ? "" : ` (and ${diverged.length - 1} more)`;
  return `persona ${first.persona} diverges, ${first.divergence}: ${first.divergenceReason}${more}`;
}

function planAs(persona: PersonaId, plan: AttemptPlan): AttemptPlan {
  const replaced = new Set(["user-agent", "traceparent"]);
  const headers = plan.request.headers.filter(([name]) => !replaced.has(name.toLowerCase()));
  const { userAgent } = PERSONAS[persona];
  const { traceparent } = newTraceContext();
  return {
    ...plan,
    request: {
      ...plan.request,
      headers: [["User-Agent", userAgent], ["traceparent", traceparent], ...headers],
    },
  };
}

async function answerOf(attempt: Attempt): Promise<Answer> {
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

async function entryOf(persona: PersonaId, attempt: Attempt, baseline: Answer): Promise<PersonaEntry> {
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

function contentTypeOf({ response }: Attempt): string | null {
  const contentType = response?.headers.get("content-type");
  return contentType === undefined ? null : textPreview(contentType);
}
