/**
 * Counts the requests to third parties over stretches of time. Runs whose slot lies in a maintenance window of their
 * check don't count. Which ones these are is decided at the moment of counting, from the windows known then. Everything
 * is counted by whole minutes: a minute that is held in part does not count, one in which a stretch begins or ends
 * counts in full.
 */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { type HeldTime, heldTimesOfTeams } from "../../checks/maintenance/held-store.ts";
import {
  bucketPiecesOf,
  minuteAfter,
  minuteOf,
  type RequestCounts,
  type RequestSpan,
} from "../../results/third-party-requests/counted-requests.ts";
import { sumRequests } from "../../results/third-party-requests/store.ts";
import { type Span, without } from "./span-pieces.ts";

/** Asks for the requests to the hosts of a team's pattern, of runs whose slot lies in the span. */
export interface RequestQuestion extends Span {
  teamId: TeamId;
  patternKey: number;
}

/** Returns one answer per question, in their order. */
export async function countRequests(
  db: Knex,
  questions: readonly RequestQuestion[],
): Promise<RequestCounts[]> {
  if (questions.length === 0) return [];
  const held = await heldTimesOfTeams(db, {
    teamIds: [...new Set(questions.map(({ teamId }) => teamId))],
    fromMs: Math.min(...questions.map(({ fromMs }) => fromMs)),
    toMs: Math.max(...questions.map(({ toMs }) => toMs)),
  });
  const spans = questions.flatMap((question, index) =>
    spansOf(
      question,
      index,
      held.filter(({ teamId }) => teamId === question.teamId),
    ),
  );
  const sums = new Map((await sumRequests(db, spans)).map((sum) => [sum.question, sum]));
  return questions.map((_, index) => {
    const { total = 0, good = 0 } = sums.get(index) ?? {};
    return { total, good };
  });
}

/** Returns the spans to add for a question, outside windows for all checks, and those of single checks to subtract. */
function spansOf(
  { patternKey, ...asked }: RequestQuestion,
  question: number,
  held: readonly HeldTime[],
): RequestSpan[] {
  const span = wholeMinutes(asked);
  const heldForAll = held.filter(({ checkKeys }) => checkKeys === null).map(wholeMinutes);
  const rest = without(span, heldForAll);
  const pieces = (part: Span, checkKeys: readonly number[] | null) =>
    bucketPiecesOf(part).map((piece) => ({ ...piece, question, patternKey, checkKeys }));
  return [
    ...rest.flatMap((part) => pieces(part, null)),
    ...heldByChecks(rest, held).flatMap(({ part, checkKeys }) => pieces(part, checkKeys)),
  ];
}

/**
 * Returns the parts of `rest` that windows of single checks hold, each with its checks; no check is in two parts that
 * overlap.
 */
function heldByChecks(
  rest: readonly Span[],
  held: readonly HeldTime[],
): { part: Span; checkKeys: number[] }[] {
  const byCheck = new Map<number, Span[]>();
  for (const window of held)
    for (const checkKey of window.checkKeys ?? []) {
      const spans = byCheck.get(checkKey);
      if (spans) spans.push(wholeMinutes(window));
      else byCheck.set(checkKey, [wholeMinutes(window)]);
    }
  const parts = new Map<string, { part: Span; checkKeys: number[] }>();
  for (const [checkKey, spans] of byCheck)
    for (const part of rest.flatMap((piece) => partsWithin(piece, spans))) {
      const id = `${part.fromMs}:${part.toMs}`;
      const known = parts.get(id);
      if (known) known.checkKeys.push(checkKey);
      else parts.set(id, { part, checkKeys: [checkKey] });
    }
  return [...parts.values()];
}

/** Returns the parts of `piece` that lie in any of `spans`, which may overlap. */
function partsWithin(piece: Span, spans: readonly Span[]): Span[] {
  return without(piece, without(piece, spans));
}

function wholeMinutes({ fromMs, toMs }: Span): Span {
  return { fromMs: minuteOf(fromMs), toMs: minuteAfter(toMs) };
}
