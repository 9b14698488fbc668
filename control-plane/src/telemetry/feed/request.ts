/** The request that the feed passes to each of its sources. */
import type { Severity, TeamId } from "@svc/contract";

/** A check whose results the feed may show. */
export interface FeedCheck {
  key: number;
  /** Locations that it has, or had. */
  locationKeys: number[];
  /** Longest time between two of its slots in any schedule that it had, ms. */
  periodMsMax: number;
  /** Slots a second over all its locations; 0 while it is off. */
  slotsPerSecond: number;
}

export interface FeedRequest {
  teamId: TeamId;
  /** Checks of the request: all of the team's, or the one asked for. */
  checks: readonly FeedCheck[];
  isForOneCheck: boolean;
  /** Wanted severity of alert events; undefined: any. */
  severity: Severity | undefined;
  /** Unix ms: events created from here on, up to and including `toMs`. */
  fromMs: number;
  toMs: number;
  /** The largest number of events: the newest ones. */
  limit: number;
}
