/** What a source of the feed is asked, and what it answers. Each gives its newest events; list-events.ts merges them. */
import type { Severity, TeamId } from "@svc/contract";

/** A check whose results the feed may show. */
export interface FeedCheck {
  key: number;
  /** Locations that it has, or had. */
  locationKeys: number[];
  /** Longest time between two of its slots in any schedule it had, ms. */
  periodMsMax: number;
  /** Slots a second over all its locations; 0 while it is off. */
  slotsPerSecond: number;
}

export interface FeedRequest {
  teamId: TeamId;
  /** All of the team's, or the one asked for. */
  checks: readonly FeedCheck[];
  isForOneCheck: boolean;
  severity: Severity | undefined;
  /** Unix ms: events created from here on, up to and with `toMs`. */
  fromMs: number;
  toMs: number;
  /** How many events at most: the newest ones. */
  limit: number;
}
