/**
 * Shares pieces between the questions that ask for them, so that a row that lies in several of them is read once: the four
 * spans of a status all end now, and each contains the next. Pure.
 */
import { groupBy } from "@svc/contract";
import type { PieceToCount } from "./count-store.ts";
import type { Span } from "./span-pieces.ts";

/** A piece of one question. */
export interface AskedPiece extends Omit<PieceToCount, "questions"> {
  /** Index of the question, from 0. */
  question: number;
}

/**
 * Returns pieces of which each stands for all questions that contain it: together they cover what `asked` covers, and no two of
 * one check, threshold, source and sign overlap. A piece is cut only where another one of its source begins or ends, never within a
 * bucket, so that no question needs a row that it would not need alone.
 * @param asked pieces of any number of questions; those of one question don't overlap
 */
export function sharePieces(asked: readonly AskedPiece[]): PieceToCount[] {
  const alike = groupBy(
    asked,
    (piece) => `${piece.checkKey}:${piece.thresholdMs}:${piece.bucketSeconds}:${piece.isSubtracted}`,
  );
  return [...alike.values()].flatMap((pieces) => {
    const { question: _, ...common } = pieces[0] as AskedPiece;
    return stretchesOf(pieces).map((stretch) => ({ ...common, ...stretch }));
  });
}

/** Returns the stretches between the edges of the pieces, in order, with the questions that contain them. */
function stretchesOf(pieces: readonly AskedPiece[]): (Span & { questions: number[] })[] {
  const edges = pieces
    .flatMap(({ question, fromMs, toMs }) => [
      { atMs: fromMs, question, isBegin: true },
      { atMs: toMs, question, isBegin: false },
    ])
    // Ends first, since a piece may begin where the one before it of its question ends.
    .sort((a, b) => a.atMs - b.atMs || Number(a.isBegin) - Number(b.isBegin));
  const stretches: (Span & { questions: number[] })[] = [];
  const open = new Set<number>();
  let fromMs = Number.NEGATIVE_INFINITY;
  for (const { atMs, question, isBegin } of edges) {
    if (open.size > 0 && fromMs < atMs) stretches.push({ fromMs, toMs: atMs, questions: [...open] });
    fromMs = atMs;
    if (isBegin) open.add(question);
    else open.delete(question);
  }
  return stretches;
}
