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
const RECENT_PERIODS = 3;
/** Time that is added for a result that is late. */
const LATE_MS = MINUTE_MS;
/** Age of a result from which on it says nothing about now, however rarely its check runs. */
export const RECENT_MS_MAX = 15 * MINUTE_MS;
/** Time for which an outage lasts after it was last found to last, while nothing shows that the location reaches its targets again. */
export const UNKNOWN_MS_MAX = 60 * MINUTE_MS;

/**
 * Returns the age of a slot, in ms, up to which its result says how the check stands now. A run that takes longer than its period is over, and
 * followed by the next one's result, only after two such runs.
 * @param longestRunMs time limit of a run with its retries
 */
export function recentMs({
  frequencySeconds,
  longestRunMs,
}: {
  frequencySeconds: number;
  longestRunMs: number;
}): number {
  const periodMs = frequencySeconds * 1000;
  const lastingMs = Math.max(RECENT_PERIODS * periodMs, periodMs + 2 * longestRunMs);
  return Math.min(lastingMs + LATE_MS, RECENT_MS_MAX);
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

/** The networks that a team's checks watch from a location and from elsewhere, by how they stand there. */
export interface Reach {
  unreached: ReadonlySet<string>;
  reached: ReadonlySet<string>;
  failing: ReadonlySet<string>;
}

/** Returns how the networks of the checks stand at the location; those of which nothing is known are left out. */
export function reachOf(checks: readonly SeenCheck[]): Reach {
  const byNetwork = new Map<string, Set<Standing>>();
  for (const check of checks) {
    const standings = byNetwork.get(check.network) ?? new Set();
    byNetwork.set(check.network, standings.add(standingOf(check)));
  }
  const networks = {
    unreached: new Set<string>(),
    reached: new Set<string>(),
    failing: new Set<string>(),
    unknown: new Set<string>(),
  };
  for (const [network, standings] of byNetwork) networks[worstProven(standings)].add(network);
  return networks;
}

/**
 * True when the location is cut off: at least three networks don't answer there while they do elsewhere, and these are more than half of
 * the networks that are watched from there and from elsewhere.
 */
export function isCutOff({ unreached, reached, failing }: Reach): boolean {
  const total = unreached.size + reached.size + failing.size;
  return unreached.size >= NETWORKS_MIN && unreached.size > total * SHARE;
}

/** Answers about a location: by its recent results, and by its newest results of the last hour, however old these are. */
export interface ReachOverTime {
  recent: Reach;
  lastHour: Reach;
}

/**
 * Answer to whether a location reaches its targets: it does not (`cut_off`), it does again (`reached`), or its results don't say so (`unknown`).
 */
export type ReachAnswer = "cut_off" | "reached" | "unknown";

/**
 * Returns the answer about a location in an outage. It is reached only where a recent result shows it: that of a network which the outage
 * had left unreached. Results that stay away, and checks that run no longer, show nothing.
 * @param outNetworks the networks that were unreached when the outage was last found to last; none: they are not known
 */
export function answerOf({ recent, lastHour }: ReachOverTime, outNetworks: readonly string[]): ReachAnswer {
  if (isCutOff(recent)) return "cut_off";
  if (isCutOff(lastHour)) return "unknown";
  const isBack =
    outNetworks.length === 0
      ? recent.reached.size > 0
      : outNetworks.some((network) => recent.reached.has(network));
  return isBack ? "reached" : "unknown";
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
