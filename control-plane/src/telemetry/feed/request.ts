/** The request that the feed passes to each of its sources. */
import type { Severity, TeamId } from "@svc/contract";

/** A check whose results the feed may show. */
export interface FeedCheck {
  key: number;
  /** Locations of the check, now or in an earlier schedule. */
  locationKeys: number[];
  /** Longest time between two slots, in the present schedule or an earlier one, ms. */
  periodMsMax: number;
  /** Number of slots in a second, summed over its locations; 0 for a disabled check. */
  slotsPerSecond: number;
}

/** A request for a page of the feed. */
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
