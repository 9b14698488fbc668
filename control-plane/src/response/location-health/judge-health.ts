/** Decides when a change of a location's health is reported. Pure. */
import { HOUR_MS, type Location, MINUTE_MS } from "@svc/contract";

type Health = Location["health"];

/** Rank of each health; a higher rank is worse. */
const RANKS: Record<Health, number> = { active: 0, degraded: 1, offline: 2 };

/** Time for which a better health must have held before it is reported, ms, while the location changes seldom. */
const HOLD_MS_MIN = MINUTE_MS;
/** Longest time for which a better health must have held before it is reported, ms, however often the location changes. */
const HOLD_MS_MAX = 30 * MINUTE_MS;
/** Age up to which a reported change makes the hold longer, ms. */
const COUNTED_MS = HOUR_MS;

/** A location's health as it was last reported, with the history that decides when the next change is reported. */
export interface ReportedHealth {
  health: Health;
  /** Since when the health has been better than the reported one, Unix ms; null while it is not. */
  betterSinceMs: number | null;
  /** Reported changes, Unix ms, oldest first. */
  changesMs: readonly number[];
}

/** A location's health as it is observed at one instant. `nowMs`: Unix ms. */
export interface HealthObservation {
  health: Health;
  nowMs: number;
  /** False while the service has not watched for long enough to blame a location for a missing heartbeat. */
  mayWorsen: boolean;
}

/**
 * Returns the reported health after an observation; its `health` differs from the former one when a change is to be reported. A worse
 * health is reported at once, a better one after it has held: a minute, and twice as long with every second change of the last hour, up to
 * half an hour. So a location that comes and goes is reported a dozen times in an hour at most.
 */
export function judgeHealth(reported: ReportedHealth, observation: HealthObservation): ReportedHealth {
  const { health, nowMs, mayWorsen } = observation;
  const changesMs = reported.changesMs.filter((atMs) => atMs > nowMs - COUNTED_MS);
  const difference = RANKS[health] - RANKS[reported.health];
  if (difference === 0 || (difference > 0 && !mayWorsen))
    return { health: reported.health, betterSinceMs: null, changesMs };
  if (difference > 0) return { health, betterSinceMs: null, changesMs: [...changesMs, nowMs] };
  const betterSinceMs = reported.betterSinceMs ?? nowMs;
  if (nowMs - betterSinceMs < holdMs(changesMs.length))
    return { health: reported.health, betterSinceMs, changesMs };
  return { health, betterSinceMs: null, changesMs: [...changesMs, nowMs] };
}

function holdMs(changes: number): number {
  return Math.min(HOLD_MS_MAX, HOLD_MS_MIN * 2 ** Math.floor(Math.max(0, changes - 1) / 2));
}
