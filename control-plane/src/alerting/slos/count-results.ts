/**
 * Counts the results of checks over stretches of time, from rollups and the open end, so that the cost doesn't grow with
 * history. Results whose slot lies in a maintenance window of the check don't count. Which they are is decided here, when it
 * is asked, from the windows as they are known then: a window that is told late counts like one that was told in time.
 */
import type { Knex } from "knex";
import { heldSpans } from "../../checks/maintenance/held-store.ts";
import { countPieces, type PieceToCount, readCountBases, readCountedFrom } from "./count-store.ts";
import { type Counts, NO_COUNTS } from "./result-counts.ts";
import { piecesOf, type Span, without } from "./span-pieces.ts";

/** Results of a check whose slot lies in the span. */
export interface CountQuestion extends Span {
  checkKey: number;
  /** A success counts as good up to this response time; null: always. */
  thresholdMs: number | null;
}

/** @returns one answer per question, in order. Results that came for a closed bucket count once it was computed again. */
export async function countResults(db: Knex, questions: readonly CountQuestion[]): Promise<Counts[]> {
  if (questions.length === 0) return [];
  const checkKeys = [...new Set(questions.map(({ checkKey }) => checkKey))];
  const bases = new Map((await readCountBases(db, checkKeys)).map((base) => [base.checkKey, base]));
  const isTimed = questions.some(({ thresholdMs }) => thresholdMs !== null);
  const counted = isTimed ? await readCountedFrom(db, checkKeys) : [];
  const held = await heldSpans(db, {
    checkKeys,
    fromMs: Math.min(...questions.map(({ fromMs }) => fromMs)),
    toMs: Math.max(...questions.map(({ toMs }) => toMs)),
  });
  const pieces = questions.flatMap(({ checkKey, thresholdMs, ...span }, question): PieceToCount[] => {
    const base = bases.get(checkKey);
    if (!base) return [];
    const countedFromMs =
      thresholdMs === null
        ? 0
        : counted.find((one) => one.checkKey === checkKey && one.thresholdMs === thresholdMs)?.countedFromMs;
    // What was not counted for this threshold yet is read result by result.
    const rolledUp = { fromMs: countedFromMs ?? Number.POSITIVE_INFINITY, toMs: base.rolledUpUntilMs };
    return without(span, held.get(checkKey) ?? [])
      .flatMap((rest) => piecesOf(rest, rolledUp))
      .map((piece) => ({ ...piece, question, checkKey, thresholdMs, locationKeys: base.locationKeys }));
  });
  const counts = await countPieces(db, pieces);
  return questions.map((_, question) => counts.get(question) ?? NO_COUNTS);
}
