/** Derives a window's instants and occurrences from the fields that a caller sends. Pure. */
import { DAY_MS, DomainError, type MaintenanceMode, parseInstant } from "@svc/contract";
import { type Occurrence, occurrencesBetween, RecurrenceError } from "./recurrence.ts";

/** Times of a window as they are stored. Unix ms. */
export interface WindowTimes {
  startsAtMs: number;
  endsAtMs: number;
  timezone: string;
  recurrenceRule: string | null;
}

/** Fields of a window as a caller sends them. */
export interface WindowInput {
  name: string;
  mode: MaintenanceMode;
  startsAt: string;
  endsAt: string;
  recurring: boolean;
  recurrenceRule: string | null;
  timezone: string;
}

/** Length of time ahead for which occurrences are stored. */
export const EXPANDED_AHEAD_MS = 35 * DAY_MS;

/**
 * Returns the instants of a window.
 * @throws DomainError `invalid`, with everything that is wrong
 */
export function windowTimes(input: WindowInput): WindowTimes {
  const startsAtMs = parseInstant(input.startsAt, input.timezone);
  const endsAtMs = parseInstant(input.endsAt, input.timezone);
  const problems: Record<string, string[]> = {};
  if (endsAtMs <= startsAtMs) problems.endsAt = ["endsAt has to lie after startsAt"];
  if (input.recurring && input.recurrenceRule === null)
    problems.recurrenceRule = ["required when recurring is true"];
  if (!input.recurring && input.recurrenceRule !== null)
    problems.recurrenceRule = ["only taken when recurring is true"];
  throwIfAny(problems);
  return { startsAtMs, endsAtMs, timezone: input.timezone, recurrenceRule: input.recurrenceRule };
}

/**
 * Returns the occurrences to store: those that have not ended at `nowMs`, up to {@link EXPANDED_AHEAD_MS} ahead.
 * @throws DomainError `invalid`, about the rule
 */
export function plannedOccurrences(times: WindowTimes, nowMs: number): Occurrence[] {
  const recurrence = {
    startsAtMs: times.startsAtMs,
    durationMs: times.endsAtMs - times.startsAtMs,
    rule: times.recurrenceRule,
    timezone: times.timezone,
  };
  try {
    return occurrencesBetween(recurrence, nowMs, nowMs + EXPANDED_AHEAD_MS);
  } catch (error) {
    if (error instanceof RecurrenceError) throwIfAny({ recurrenceRule: [error.message] }, error);
    throw error;
  }
}

function throwIfAny(fieldErrors: Record<string, string[]>, cause?: unknown): void {
  if (Object.keys(fieldErrors).length > 0)
    throw new DomainError("invalid", "Validation failed", {
      details: { fieldErrors, formErrors: [] },
      cause,
    });
}
