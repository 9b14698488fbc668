/** From what a caller sends to a window with instants. Pure. */
import { DAY_MS, DomainError, type MaintenanceMode, parseInstant } from "@svc/contract";
import { type Occurrence, occurrencesBetween, RecurrenceError } from "./recurrence.ts";

/** A window as it is stored. Unix ms. */
export interface WindowTimes {
  startsAtMs: number;
  endsAtMs: number;
  timezone: string;
  recurrenceRule: string | null;
}

export interface WindowInput {
  name: string;
  mode: MaintenanceMode;
  startsAt: string;
  endsAt: string;
  recurring: boolean;
  recurrenceRule: string | null;
  timezone: string;
}

/** Occurrences are worked out this far ahead. */
export const EXPANDED_AHEAD_MS = 35 * DAY_MS;

/** @throws DomainError invalid, with everything that is wrong */
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
 * The occurrences to store: what has not ended at `nowMs`, as far ahead as windows are worked out.
 * @throws DomainError invalid, about the rule
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
