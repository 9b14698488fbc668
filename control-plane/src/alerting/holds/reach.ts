/**
 * Judges whether a location can't reach its targets, by the newest results of one team's checks. Pure. The evidence for holding the alerts of
 * a team back are its own checks alone: targets that other teams choose could be made to fail at a location, and hide an alert.
 */
import { isSuccessCode, MINUTE_MS, STATUS_CODES } from "@svc/contract";

/** Fewest networks that must fail at the location while they answer elsewhere. */
const NETWORKS_MIN = 3;
const SHARE = 0.5;
/** Categories of failures in which a run did not get through to its target, or found somebody else there. */
export const UNREACHED: readonly string[] = ["dns", "connect", "tls", "timeout"];

/** True when the failure may be that of the way to the target: not when the target answered, whatever it answered. */
export function isUnreached(status: number, errorCategory: string | null | undefined): boolean {
  if (isSuccessCode(status) || status === STATUS_CODES.failure) return false;
  if (errorCategory) return UNREACHED.includes(errorCategory);
  return status === STATUS_CODES.timeout;
}

/** Most periods of a check after which its newest result says nothing about now. */
export const RECENT_PERIODS = 3;
/** Time that is added for a run that takes long. */
export const SLOW_RUN_MS = MINUTE_MS;
/** Age of a result from which on it says nothing about now, however rarely its check runs. */
export const RECENT_MS_MAX = 15 * MINUTE_MS;

/** Returns the age, in ms, up to which a result says how the check stands now. */
export function recentMs(frequencySeconds: number): number {
  return Math.min(RECENT_PERIODS * frequencySeconds * 1000 + SLOW_RUN_MS, RECENT_MS_MAX);
}

/** The newest results of one check, as far as they are recent. Slots are Unix ms. */
export interface SeenCheck {
  /** Network of its target. */
  network: string;
  /** Its newest result at the location. `firstFailureMs`: slot of the earliest known failure of those that last until now. */
  here: { isFailing: boolean; isUnreached: boolean; firstFailureMs: number };
  /** Its newest result at each of its other locations. */
  elsewhere: readonly { slotMs: number; isFailing: boolean }[];
}

/** Sight of a network from the location: see {@link standingOf}. */
type Standing = "unreached" | "reached" | "failing" | "unknown";

/**
 * True when the location is cut off: at least three networks don't answer there while they do elsewhere, and these are more than half of
 * the networks that are watched from there and from elsewhere.
 */
export function isCutOff(checks: readonly SeenCheck[]): boolean {
  const byNetwork = new Map<string, Set<Standing>>();
  for (const check of checks) {
    const standings = byNetwork.get(check.network) ?? new Set();
    byNetwork.set(check.network, standings.add(standingOf(check)));
  }
  const counts = { unreached: 0, reached: 0, failing: 0, unknown: 0 };
  for (const standings of byNetwork.values()) counts[worstProven(standings)]++;
  const total = counts.unreached + counts.reached + counts.failing;
  return counts.unreached >= NETWORKS_MIN && counts.unreached > total * SHARE;
}

/**
 * Returns how a check stands at the location.
 * - `unreached`: it did not get through, and has succeeded elsewhere since its first failure
 * - `reached`: its target answered
 * - `failing`: it fails elsewhere, too, and succeeds nowhere
 * - `unknown`: it does not run elsewhere, or has not yet since its first failure
 */
function standingOf({ here, elsewhere }: SeenCheck): Standing {
  if (elsewhere.length === 0) return "unknown";
  if (!here.isFailing || !here.isUnreached) return "reached";
  if (elsewhere.some(({ isFailing, slotMs }) => !isFailing && slotMs >= here.firstFailureMs))
    return "unreached";
  return elsewhere.some(({ isFailing }) => isFailing) ? "failing" : "unknown";
}

/** Returns the standing of a network: whatever speaks against a fault of the location goes first. */
function worstProven(standings: ReadonlySet<Standing>): Standing {
  const order: readonly Standing[] = ["reached", "failing", "unreached"];
  return order.find((standing) => standings.has(standing)) ?? "unknown";
}
