/**
 * Counts the results of checks over stretches of time, from rollups and the open end, so that the cost does not grow with
 * history. Results whose slot lies in a maintenance window of the check don't count. Which ones these are is decided at the
 * moment of counting, from the windows known then: a window that is reported late counts like one that was reported in time.
 */
import type { Knex } from "knex";
import { heldSpans } from "../../checks/maintenance/held-store.ts";
import { readBucketsFrom } from "../../results/rollups/days-store.ts";
import { countPieces, readCountBases, readCountedFrom } from "./count-store.ts";
import { NO_COUNTS, type ResultCounts } from "./result-counts.ts";
import { type AskedPiece, sharePieces } from "./share-pieces.ts";
import { piecesOf, type Span, without } from "./span-pieces.ts";

/** Asks for the results of a check whose slot lies in the span. */
export interface CountQuestion extends Span {
  checkKey: number;
  /** Longest response time of a success that counts as good; null: every success does. */
  thresholdMs: number | null;
}

/**
 * Returns one answer per question, in their order. Rows that several questions about a check contain are read once. A result that
 * came after its bucket was computed counts once the bucket is computed again.
 */
export async function countResults(db: Knex, questions: readonly CountQuestion[]): Promise<ResultCounts[]> {
  if (questions.length === 0) return [];
  const checkKeys = [...new Set(questions.map(({ checkKey }) => checkKey))];
  const bases = new Map((await readCountBases(db, checkKeys)).map((base) => [base.checkKey, base]));
  const bucketsFromMs = await readBucketsFrom(db);
  const isTimed = questions.some(({ thresholdMs }) => thresholdMs !== null);
  const counted = isTimed ? await readCountedFrom(db, checkKeys) : [];
  const held = await heldSpans(db, {
    checkKeys,
    fromMs: Math.min(...questions.map(({ fromMs }) => fromMs)),
    toMs: Math.max(...questions.map(({ toMs }) => toMs)),
  });
  const asked = questions.flatMap(({ checkKey, thresholdMs, ...span }, question): AskedPiece[] => {
    const base = bases.get(checkKey);
    if (!base) return [];
    const countedFromMs =
      thresholdMs === null
        ? 0
        : counted.find((one) => one.checkKey === checkKey && one.thresholdMs === thresholdMs)?.countedFromMs;
    // Times that were not counted for this threshold yet are read result by result.
    const rolledUp = {
      fromMs: countedFromMs ?? Number.POSITIVE_INFINITY,
      toMs: base.rolledUpUntilMs,
      bucketsFromMs,
    };
    return without(span, held.get(checkKey) ?? [])
      .flatMap((rest) => piecesOf(rest, rolledUp))
      .map((piece) => ({ ...piece, question, checkKey, thresholdMs, locationKeys: base.locationKeys }));
  });
  const counts = await countPieces(db, sharePieces(asked));
  return questions.map((_, question) => counts.get(question) ?? NO_COUNTS);
}
