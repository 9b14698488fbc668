/** Decides whether the outage of a location lasts, by what results show of the location. Pure. */
import { REACHED_MS } from "./outage-store.ts";
import { type ReachAnswer, UNKNOWN_MS_MAX } from "./reach.ts";

/** An outage that has not ended. Instants are Unix ms. */
export interface JudgedOutage {
  answer: ReachAnswer;
  /** False: its location holds nothing back any more. */
  isGuarded: boolean;
  /** When it was last found to last. */
  judgedAtMs: number;
  /** Since when its location reaches targets again; null: it does not, or nothing is known. */
  reachedSinceMs: number | null;
  /** True when its incident lists alerts for which it stays open. */
  hasHeldAlerts: boolean;
}

/**
 * Outcome for an outage: it lasts, its location is reached since now, it ends, or it stays as it is. `isRecovery` is false where the end shows
 * no recovery: nothing was known of the location for too long, or it is guarded no longer.
 */
export type OutageDecision =
  | { kind: "confirm" }
  | { kind: "mark_reached" }
  | { kind: "end"; isRecovery: boolean }
  | { kind: "leave" };

/** Returns the decision at this instant, Unix ms. Results that stay away end an outage an hour after it was last found to last. */
export function decideOutage(outage: JudgedOutage, nowMs: number): OutageDecision {
  const { answer, isGuarded, judgedAtMs, reachedSinceMs, hasHeldAlerts } = outage;
  if (isGuarded && answer === "cut_off") return { kind: "confirm" };
  if (isGuarded && answer === "reached" && reachedSinceMs === null) return { kind: "mark_reached" };
  const isReached = reachedSinceMs !== null && nowMs - reachedSinceMs >= REACHED_MS;
  const isForgotten = reachedSinceMs === null && nowMs - judgedAtMs >= UNKNOWN_MS_MAX;
  if (hasHeldAlerts || !(isReached || isForgotten || !isGuarded)) return { kind: "leave" };
  return { kind: "end", isRecovery: isReached };
}
