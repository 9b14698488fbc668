/** Limits of the connections to the runners' port, and the reasons for which a limit ends a connection. */
import { SECOND_MS } from "@svc/contract";

/** Limits of the connections to one listener. */
export interface ConnectionLimits {
  /** Open connections of all kinds. */
  connectionsMax: number;
  /** Open connections without a runner key, in all and by address. */
  strangersMax: number;
  strangersPerAddressMax: number;
  /** Time within which a connection must show a runner key, ms. */
  keyTimeoutMs: number;
  /** Time after which a connection without open streams is ended, once it had a runner key or a health check, ms. */
  idleTimeoutMs: number;
}

/** The limits that every listener has; the number of connections in all is a setting. */
export const CONNECTION_LIMITS: Omit<ConnectionLimits, "connectionsMax"> = {
  strangersMax: 2_000,
  strangersPerAddressMax: 200,
  keyTimeoutMs: 10 * SECOND_MS,
  idleTimeoutMs: 60 * SECOND_MS,
};

/** Reasons why a limit refuses or ends a connection. */
export const CONNECTION_END_REASONS = [
  "connections",
  "pace",
  "strangers",
  "no_key",
  "streams",
  "resets",
  "framing",
] as const;

/**
 * Reason why a limit refused or ended a connection.
 * - `connections`: as many as may be open are open, all of them with a key
 * - `pace`: the address connects too fast
 * - `strangers`: the oldest connection without a key made way for another one
 * - `no_key`: no key came in time
 * - `streams`, `resets`, `framing`: more streams, resets or bytes beside messages than agents cause
 */
export type ConnectionEndReason = (typeof CONNECTION_END_REASONS)[number];
