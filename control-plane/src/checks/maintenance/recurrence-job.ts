/** Expansion of a recurring window in a job thread: a team writes the rule, so it decides what the expansion costs. */
import { defineThreadJob } from "../../platform/threads/thread-job.ts";
import { type Occurrence, occurrencesBetween, type Recurrence, RecurrenceError } from "./recurrence.ts";

/** The recurrence to expand, and the range of its occurrences. */
export interface ExpansionInput {
  recurrence: Recurrence;
  /** Unix ms. */
  fromMs: number;
  /** Unix ms. */
  untilMs: number;
}

/** The occurrences, or a sentence about a rule that can't be used. */
export type Expansion = { occurrences: Occurrence[] } | { problem: string };

/** Time limit of the thread, ms; longer than the limit that {@link occurrencesBetween} keeps by itself. */
export const recurrenceJob = defineThreadJob<ExpansionInput, Expansion>("expand_recurrence", 2_000);

/** The work of {@link recurrenceJob}. */
export function expandRecurrence({ recurrence, fromMs, untilMs }: ExpansionInput): Expansion {
  try {
    return { occurrences: occurrencesBetween(recurrence, fromMs, untilMs) };
  } catch (error) {
    if (error instanceof RecurrenceError) return { problem: error.message };
    throw error;
  }
}
