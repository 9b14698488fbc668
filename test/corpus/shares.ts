/** The shares of the corpus whose true cause is named first, as the docs show them. */

import { MISSES } from "./misses.ts";
import { readRecordings } from "./recording.ts";
import { type Answer, type Answerer, answersOf } from "./score.ts";

/** A row of the docs' table: one answerer, and its shares of the halves and of the whole. */
export type ShareRow = [answerer: Answerer, training: string, heldOut: string, all: string];

/** Returns the answers about all recordings. */
export function allAnswers(): Answer[] {
  return readRecordings().flatMap(answersOf);
}

/** Returns the rows of the table. */
export function shareRows(answers: readonly Answer[]): ShareRow[] {
  return (["insight", "hypothesis"] as const).map((by) => {
    const own = answers.filter((answer) => answer.by === by);
    const ofHalf = (half: Answer["half"]) => shareText(own.filter((answer) => answer.half === half));
    return [by, ofHalf("training"), ofHalf("held out"), shareText(own)];
  });
}

function shareText(answers: readonly Answer[]): string {
  const named = answers.filter(({ namesCause }) => namesCause).length;
  return `${named} of ${answers.length} (${Math.floor((100 * named) / answers.length)} %)`;
}

/** A row of the docs' list of misses. */
export type MissRow = [recording: string, half: string, by: string, cause: string, why: string];

/** Returns the misses, one row for each recording, by its id. A reason that nobody wrote down is empty. */
export function missRows(answers: readonly Answer[]): MissRow[] {
  const missed = answers.filter(({ namesCause }) => !namesCause);
  const ids = [...new Set(missed.map(({ recording }) => recording.id))];
  return ids.map((id) => {
    const own = missed.filter(({ recording }) => recording.id === id);
    const [{ half, recording }] = own as [Answer];
    return [
      id,
      half,
      own.map(({ by }) => by).join(", "),
      recording.cause.replaceAll("_", " "),
      MISSES[id] ?? "",
    ];
  });
}
