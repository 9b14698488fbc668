/**
 * Limits of attempts under way in this process. An endpoint that hangs holds up its own channel only; channels that time out
 * use at most half of all attempts, so that the others still move however many hang; a channel that answers quickly may be
 * sent more at once, so that a storm is notified in minutes. Of each of these amounts a team uses at most half of what other
 * teams leave free, so that no team's channels hold up another's.
 */
import type { TeamId } from "@svc/contract";

/** Most attempts at one channel at once. */
const ATTEMPTS_PER_CHANNEL = 2;
/** Most attempts at a channel whose last one was quick, as long as half of all attempts is left to other channels. */
const ATTEMPTS_PER_QUICK_CHANNEL = 8;
/** Most attempts in this process. */
const ATTEMPTS_MAX = 200;
const SLOW_ATTEMPTS_MAX = ATTEMPTS_MAX / 2;
const QUICK_ATTEMPTS_MAX = ATTEMPTS_MAX / 2;
/** Duration from which on an attempt marks its channel as slow. */
const SLOW_MS = 3_000;

/** The channel of an attempt, and the team whose it is. */
export interface AttemptedChannel {
  channelKey: number;
  teamId: TeamId;
}

/** Outcome of an attempt, as far as limits need it. */
export interface EndedAttempt {
  durationMs: number;
  wasDelivered: boolean;
}

/** Counts the attempts under way in this process, by channel and by team. */
export class AttemptLimits {
  readonly #quickMs: number;
  /** Attempts under way, by channel key. */
  readonly #underWay = new Map<number, number>();
  /** Teams of the channels with attempts under way. */
  readonly #teams = new Map<number, TeamId>();
  readonly #slowChannels = new Set<number>();
  readonly #quickChannels = new Set<number>();

  /** @param quickMs an attempt that delivers within this time is quick */
  constructor(quickMs: number) {
    this.#quickMs = quickMs;
  }

  /** Attempts under way, by channel key. */
  get underWay(): ReadonlyMap<number, number> {
    return this.#underWay;
  }

  /** True when one more attempt at the channel may begin. */
  mayBegin({ channelKey, teamId }: AttemptedChannel): boolean {
    const own = this.#underWay.get(channelKey) ?? 0;
    const all = sum(this.#underWay.values());
    const isQuick = this.#quickChannels.has(channelKey) && all < QUICK_ATTEMPTS_MAX;
    if (own >= (isQuick ? ATTEMPTS_PER_QUICK_CHANNEL : ATTEMPTS_PER_CHANNEL) || all >= ATTEMPTS_MAX)
      return false;
    if (!this.#isWithinShare(teamId, [...this.#underWay], ATTEMPTS_MAX)) return false;
    if (!this.#slowChannels.has(channelKey)) return true;
    const slow = [...this.#underWay].filter(([key]) => this.#slowChannels.has(key));
    if (sum(slow.map(([, count]) => count)) >= SLOW_ATTEMPTS_MAX) return false;
    return this.#isWithinShare(teamId, slow, SLOW_ATTEMPTS_MAX);
  }

  /** True while the team has less than half of the attempts that other teams leave of `most`. */
  #isWithinShare(
    teamId: TeamId,
    counts: readonly [channelKey: number, count: number][],
    most: number,
  ): boolean {
    const isOwn = ([key]: readonly [number, number]) => this.#teams.get(key) === teamId;
    const own = sum(counts.filter(isOwn).map(([, count]) => count));
    const others = sum(counts.filter((entry) => !isOwn(entry)).map(([, count]) => count));
    return own < Math.max(1, (most - others) / 2);
  }

  /**
   * Counts an attempt while it runs, and judges the channel by it. A long attempt counts against its channel as soon
   * as it has lasted that long, not only at its end.
   */
  async count<Result>(
    { channelKey, teamId }: AttemptedChannel,
    attempt: () => Promise<Result>,
    ended: (attempt: Result) => EndedAttempt,
  ): Promise<Result> {
    addTo(this.#underWay, channelKey, 1);
    this.#teams.set(channelKey, teamId);
    const timers = [
      setTimeout(() => this.#quickChannels.delete(channelKey), this.#quickMs),
      setTimeout(() => this.#slowChannels.add(channelKey), SLOW_MS),
    ];
    const outcome = await attempt().finally(() => {
      for (const timer of timers) clearTimeout(timer);
      addTo(this.#underWay, channelKey, -1);
      if (!this.#underWay.has(channelKey)) this.#teams.delete(channelKey);
    });
    const { durationMs, wasDelivered } = ended(outcome);
    if (durationMs < SLOW_MS) this.#slowChannels.delete(channelKey);
    if (wasDelivered && durationMs < this.#quickMs) this.#quickChannels.add(channelKey);
    else this.#quickChannels.delete(channelKey);
    return outcome;
  }
}

/** Adds to a channel's count; a count of zero is removed. */
export function addTo(counts: Map<number, number>, key: number, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
