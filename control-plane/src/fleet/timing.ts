/** The fleet's time constants: one place, because each leans on the others. All in ms. */

/** How often an agent says that it lives. */
export const HEARTBEAT_INTERVAL_MS = 5_000;

/** A runner silent for longer loses its checks to others: three heartbeats, so that one lost packet moves nothing. */
export const LEASE_MS = 15_000;

/** What is left of the lease once a stream broke without a goodbye: time for a reconnect, and no longer than a lease. */
export const BROKEN_STREAM_LEASE_MS = 5_000;

/** A due slot is still run when it is late by no more than this: a lost lease plus a reconnect fit in. */
export const GRACE_MS = 30_000;

/** Make before break: how long the former owner of a check keeps it beside the new one. */
export const HANDOVER_MS = 2_000;

/** Replicas look for changes this often even when no notification came. */
export const POLL_INTERVAL_MS = 1_000;

/** After an outage of the database nobody's lease is taken for expired until every replica had time to renew its own. */
export const RECOVERY_HOLD_MS = 3_000;

/** The version of svc.runner.v1's session that is spoken. */
export const PROTOCOL_VERSION = 1;
