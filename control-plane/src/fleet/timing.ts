/** The fleet's time constants, all in ms. They are in one place because each depends on the others. */

/** Interval at which an agent sends a heartbeat. */
export const HEARTBEAT_INTERVAL_MS = 5_000;

/**
 * A runner that is silent for longer loses its checks to others: three heartbeats, so that one lost packet moves
 * nothing.
 */
export const LEASE_MS = 15_000;

/** Rest of the lease once a stream broke without a goodbye: enough for a reconnect, and no longer than a lease. */
export const BROKEN_STREAM_LEASE_MS = 5_000;

/** Largest delay with which a due slot is still run: a lost lease and a reconnect fit in. */
export const GRACE_MS = 30_000;

/** Time for which the former owner of a check keeps it beside the new one, so that no slot is missed in between. */
export const HANDOVER_MS = 2_000;

/** Interval at which replicas look for changes when no wake-up came. */
export const POLL_INTERVAL_MS = 1_000;

/** After an outage of the database no lease counts as expired for this long, so that every replica can renew its own. */
export const RECOVERY_HOLD_MS = 3_000;

/** Version of the session of svc.runner.v1 that this control plane speaks. */
export const PROTOCOL_VERSION = 1;
