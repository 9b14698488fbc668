/** Derives a window's instants and occurrences from the fields that a caller sends. */
import {
  DAY_MS,
  DomainError,
  invalidField,
  type MaintenanceMode,
  parseInstant,
  type TeamId,
} from "@svc/contract";
import { JobOverrun, TeamQueueFull, threadPool } from "../../platform/threads/thread-pool.ts";
import { type Occurrence, occurrencesBetween } from "./recurrence.ts";
import { type Expansion, type ExpansionInput, recurrenceJob } from "./recurrence-job.ts";

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
 * Returns the occurrences that have not ended at `nowMs`, up to `aheadMs` ahead; by default those to store.
 * A rule is expanded in a job thread.
 * @throws DomainError `invalid`, about the rule; `unavailable` while too many rules of the team wait
 */
export async function plannedOccurrences(
  teamId: TeamId,
  times: WindowTimes,
  { nowMs, aheadMs = EXPANDED_AHEAD_MS }: { nowMs: number; aheadMs?: number },
): Promise<Occurrence[]> {
  const recurrence = {
    startsAtMs: times.startsAtMs,
    durationMs: times.endsAtMs - times.startsAtMs,
    rule: times.recurrenceRule,
    timezone: times.timezone,
  };
  const untilMs = nowMs + aheadMs;
  if (recurrence.rule === null) return occurrencesBetween(recurrence, nowMs, untilMs);
  const expansion = await expand(teamId, { recurrence, fromMs: nowMs, untilMs });
  if ("occurrences" in expansion) return expansion.occurrences;
  throw invalidField("recurrenceRule", expansion.problem);
}

async function expand(teamId: TeamId, input: ExpansionInput): Promise<Expansion> {
  try {
    return await threadPool.run(recurrenceJob, { teamId, input });
  } catch (error) {
    if (error instanceof JobOverrun) return { problem: "takes too long to work out: does it ever occur?" };
    if (error instanceof TeamQueueFull)
      throw new DomainError("unavailable", "Too many recurrence rules of the team are being worked out", {
        retryAfterSeconds: 2,
      });
    throw error;
  }
}

function throwIfAny(fieldErrors: Record<string, string[]>): void {
  if (Object.keys(fieldErrors).length > 0)
    throw new DomainError("invalid", "Validation failed", {
      details: { fieldErrors, formErrors: [] },
    });
}
