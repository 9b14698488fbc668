/**
 * Budgets of deliveries by hand, so that nobody floods addresses from the operator's mail server. Each replica counts
 * its own.
 */
import { type ChannelId, DomainError, type TeamId } from "@svc/contract";
import { TokenBuckets } from "../../platform/token-buckets.ts";

/** Most deliveries by hand in a minute. */
const TEAM_PER_MINUTE = 30;
const CHANNEL_PER_MINUTE = 6;

/** Counts deliveries by hand, by team and by channel. */
export class HandBudgets {
  readonly #teams: TokenBuckets;
  readonly #channels: TokenBuckets;

  /** @param clockMs monotonic clock, ms; default the process's */
  constructor(clockMs?: () => number) {
    const bucketOf = (perMinute: number) =>
      new TokenBuckets({ burst: perMinute, perSecond: perMinute / 60, ...(clockMs && { clockMs }) });
    this.#teams = bucketOf(TEAM_PER_MINUTE);
    this.#channels = bucketOf(CHANNEL_PER_MINUTE);
  }

  /**
   * Counts a delivery by hand.
   * @throws DomainError `rate_limited`
   */
  spend(teamId: TeamId, channelId: ChannelId): void {
    if (this.#channels.isEmpty(channelId)) throw limited("channel", CHANNEL_PER_MINUTE);
    if (!this.#teams.trySpend(teamId)) throw limited("team", TEAM_PER_MINUTE);
    this.#channels.trySpend(channelId);
  }
}

function limited(whose: "channel" | "team", perMinute: number): DomainError {
  const retryAfterSeconds = Math.ceil(60 / perMinute);
  return new DomainError(
    "rate_limited",
    `Too many deliveries by hand: ${perMinute} a minute for each ${whose}; try again in ${retryAfterSeconds} s`,
    { retryAfterSeconds },
  );
}
