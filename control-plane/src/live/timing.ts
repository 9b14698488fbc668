import { LIVE_PING_INTERVAL_MS, MINUTE_MS, SECOND_MS } from "@svc/contract";

/** Intervals of the live stream, in ms. Tests shorten them. */
export interface LiveTiming {
  /** Time for which differences are merged into one event. */
  mergeMs: number;
  /** Between two looks at what other replicas stored. */
  lookIntervalMs: number;
  /** Between two readings of the state of all checks. */
  wholeIntervalMs: number;
  pingIntervalMs: number;
  /** Between two looks at whether the callers still may read. */
  callersIntervalMs: number;
  /** Time for which a hub stays after its last stream ended, for a client that connects again. */
  lingerMs: number;
}

/** The intervals of the running service. */
export const LIVE_TIMING: LiveTiming = {
  mergeMs: 250,
  lookIntervalMs: SECOND_MS,
  wholeIntervalMs: MINUTE_MS,
  pingIntervalMs: LIVE_PING_INTERVAL_MS,
  // A revoked display link ends a running wall within a minute.
  callersIntervalMs: 30 * SECOND_MS,
  lingerMs: 10 * SECOND_MS,
};
