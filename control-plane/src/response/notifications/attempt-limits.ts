/**
 * Limits of attempts under way in this process. An endpoint that hangs holds up its own channel only; channels that time out
 * use at most half of all attempts, so that the others still move however many hang. A channel that delivers while more
 * waits for it is sent more and more at once, so that a storm is notified in minutes, and a process that gets little CPU
 * keeps up with its alerts: how many attempts overlap follows from how long one takes. Of each of these amounts a team
 * uses at most half of what other teams leave free, so that no team's channels hold up another's, and what its channels
 * have beyond their first attempts takes at most half of that, so that none holds up a channel of the same team.
 *
 * Durations are without the time that this process has lost: its own lateness makes no channel slow.
 */
import type { TeamId } from "@svc/contract";
import { beginFairLimit } from "../../platform/fair-time.ts";
import { systemTiming, type Timing } from "../../platform/timing.ts";

/** Most attempts at once at a channel that has not proved to take more. */
const ATTEMPTS_PER_CHANNEL = 2;
/** Most attempts at once at a channel, however well it delivers. */
const ATTEMPTS_PER_CHANNEL_MAX = 32;
/** Most attempts in this process. */
const ATTEMPTS_MAX = 200;
const SLOW_ATTEMPTS_MAX = ATTEMPTS_MAX / 2;
/** Most attempts in this process with which one more is begun at a channel that has its first ones. */
const FURTHER_ATTEMPTS_MAX = ATTEMPTS_MAX / 2;
/** Duration from which on an attempt marks its channel as slow. */
const SLOW_MS = 3_000;

/** The channel of an attempt, and the team whose it is. */
export interface AttemptedChannel {
  channelKey: number;
  teamId: TeamId;
}

/** Number of attempts at once by which a channel has delivered, doubled. */
interface Proof {
  mostAtOnce: number;
}

/** Counts the attempts under way in this process, by channel and by team. */
export class AttemptLimits {
  readonly #lostMs: () => number;
  readonly #timing: Timing;
  /** Attempts under way, by channel key. */
  readonly #underWay = new Map<number, number>();
  /** Teams of the channels with attempts under way. */
  readonly #teams = new Map<number, TeamId>();
  readonly #slowChannels = new Set<number>();
  /** Proofs of channels that take more than the first attempts, by channel key; forgotten with a failure. */
  readonly #proofs = new Map<number, Proof>();

  /** @param lostMs returns the time that this process has lost so far, ms */
  constructor(lostMs: () => number, timing = systemTiming) {
    this.#lostMs = lostMs;
    this.#timing = timing;
  }

  /** Attempts under way, by channel key. */
  get underWay(): ReadonlyMap<number, number> {
    return this.#underWay;
  }

  /** Channels whose newest attempt took long, whether it is under way or has ended. */
  get slowChannels(): ReadonlySet<number> {
    return this.#slowChannels;
  }

  /** True when one more attempt at the channel may begin. */
  mayBegin({ channelKey, teamId }: AttemptedChannel): boolean {
    const own = this.#underWay.get(channelKey) ?? 0;
    const counts = [...this.#underWay];
    if (own >= this.#mostAtOnce(channelKey) || sum(this.#underWay.values()) >= ATTEMPTS_MAX) return false;
    if (!this.#isWithinShare(teamId, counts, ATTEMPTS_MAX)) return false;
    if (own >= ATTEMPTS_PER_CHANNEL) return this.#isWithinShare(teamId, counts, FURTHER_ATTEMPTS_MAX);
    if (!this.#slowChannels.has(channelKey)) return true;
    const slow = counts.filter(([key]) => this.#slowChannels.has(key));
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

  #mostAtOnce(channelKey: number): number {
    return this.#proofs.get(channelKey)?.mostAtOnce ?? ATTEMPTS_PER_CHANNEL;
  }

  /**
   * Counts an attempt while it runs, and judges the channel by it. A long attempt counts against its channel as soon
   * as it has lasted that long, not only at its end.
   * @param wasDelivered judges the attempt's outcome
   */
  async count<Result>(
    { channelKey, teamId }: AttemptedChannel,
    attempt: () => Promise<Result>,
    wasDelivered: (outcome: Result) => boolean,
  ): Promise<Result> {
    addTo(this.#underWay, channelKey, 1);
    this.#teams.set(channelKey, teamId);
    const begun = { atOnce: this.#underWay.get(channelKey) ?? 1, proof: this.#proofs.get(channelKey) };
    const slowness = beginFairLimit({
      limitMs: SLOW_MS,
      lostMs: this.#lostMs,
      timing: this.#timing,
      onEnd: () => {
        this.#slowChannels.add(channelKey);
        this.#proofs.delete(channelKey);
      },
    });
    const outcome = await attempt().finally(() => {
      slowness.clear();
      addTo(this.#underWay, channelKey, -1);
      if (!this.#underWay.has(channelKey)) this.#teams.delete(channelKey);
    });
    const isSlow = slowness.spentMs() >= SLOW_MS;
    if (!isSlow) this.#slowChannels.delete(channelKey);
    if (isSlow || !wasDelivered(outcome)) this.#proofs.delete(channelKey);
    // An attempt that began before a failure proves nothing any more.
    else if (this.#proofs.get(channelKey) === begun.proof) this.#prove(channelKey, begun.atOnce);
    return outcome;
  }

  /** Allows a channel that delivered with so many attempts at once twice as many. */
  #prove(channelKey: number, atOnce: number): void {
    const mostAtOnce = Math.min(2 * atOnce, ATTEMPTS_PER_CHANNEL_MAX);
    if (mostAtOnce <= this.#mostAtOnce(channelKey)) return;
    const proof = this.#proofs.get(channelKey);
    if (proof) proof.mostAtOnce = mostAtOnce;
    else this.#proofs.set(channelKey, { mostAtOnce });
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
