/** SQL of runners, their leases and their presence. Leases are judged by the database's clock, which all replicas share. */
import { newId, type RunnerId, type RunnerKeyId } from "@svc/contract";
import type { Knex } from "knex";
import { LEASE_MS } from "../fleet/timing.ts";
import { defineRecordset } from "../platform/db/recordset.ts";
import { queryRows } from "../platform/db/rows.ts";
import { fleetWakeUpSql, wakeFleets } from "../platform/db/wake-ups.ts";
import { continuePresence } from "./presence-store.ts";
import { tooManySessions } from "./session-limits.ts";

/** Columns of a runner's row that its new session writes. */
export interface RunnerSession {
  sessionId: string;
  runnerKeyId: RunnerKeyId;
  runnerUuid: string;
  processUuid: string;
  /** null: a runner of the hosted pool. */
  locationKey: number | null;
  locationKeys: number[];
  hostname: string;
  version: string;
  capabilities: string[];
  capacityPerSecond: number;
  replicaId: string;
  /** Runners of the key that may be connected at a time. */
  perKeyMax: number;
}

/** The runner of a new session. */
export interface OpenedRunner {
  key: number;
  id: RunnerId;
  /** Process of the session before this one; null: the runner is new. */
  previousProcessUuid: string | null;
}

const NOW_MS = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/** Runners of a key that are remembered beside its connected ones. */
const LOST_RUNNERS_KEPT = 1_000;
const FORGOTTEN_AT_ONCE = 100;

/**
 * Gives the runner's lease to this session, as the newest one wins, and begins or continues the runner's presence.
 * @throws DomainError `limit_exceeded` when as many other runners of the key are connected as may be, at whichever replica
 */
export async function openRunnerSession(db: Knex, session: RunnerSession): Promise<OpenedRunner> {
  return db.transaction(async (trx) => {
    await assertFewConnected(trx, session);
    const [runner] = await queryRows<OpenedRunner>(
      trx,
      `WITH previous AS (
         SELECT process_uuid FROM runners WHERE runner_uuid = ? AND coalesce(location_key, 0) = coalesce(?::integer, 0)
       )
       INSERT INTO runners (id, runner_uuid, process_uuid, location_key, runner_key_id, location_keys, hostname, version,
         capabilities, capacity_per_second, replica_id, session_id, connected_at, last_heartbeat_at, lease_until)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, clock_timestamp(), clock_timestamp(),
         clock_timestamp() + ? * interval '1 ms')
       ON CONFLICT (runner_uuid, coalesce(location_key, 0)) DO UPDATE SET
         process_uuid = excluded.process_uuid, runner_key_id = excluded.runner_key_id,
         location_keys = excluded.location_keys, hostname = excluded.hostname, version = excluded.version,
         capabilities = excluded.capabilities, capacity_per_second = excluded.capacity_per_second,
         replica_id = excluded.replica_id, session_id = excluded.session_id, accepting = true, draining = false,
         not_accepting_since = NULL, connected_at = excluded.connected_at,
         last_heartbeat_at = excluded.last_heartbeat_at, lease_until = excluded.lease_until
       RETURNING key, id, (SELECT process_uuid FROM previous) AS previous_process_uuid`,
      [
        session.runnerUuid,
        session.locationKey,
        newId("runner"),
        session.runnerUuid,
        session.processUuid,
        session.locationKey,
        session.runnerKeyId,
        session.locationKeys,
        session.hostname,
        session.version,
        session.capabilities,
        session.capacityPerSecond,
        session.replicaId,
        session.sessionId,
        LEASE_MS,
      ],
    );
    if (!runner) throw new Error("the runner's row was not written");
    const { locationKeys, capabilities } = session;
    const isSameProcess = runner.previousProcessUuid === session.processUuid;
    await continuePresence(trx, { runnerKey: runner.key, locationKeys, capabilities, isSameProcess });
    if (runner.previousProcessUuid === null) await forgetLostRunners(trx, session.runnerKeyId);
    await wakeFleets(trx, "runners");
    return runner;
  });
}

async function assertFewConnected(trx: Knex, session: RunnerSession): Promise<void> {
  const [row] = await queryRows<{ connected: number }>(
    trx,
    `SELECT count(*)::integer AS connected FROM runners
     WHERE runner_key_id = ? AND lease_until > clock_timestamp() AND session_id IS NOT NULL AND runner_uuid <> ?`,
    [session.runnerKeyId, session.runnerUuid],
  );
  if ((row?.connected ?? 0) >= session.perKeyMax) throw tooManySessions(session.perKeyMax);
}

/** Forgets the runners of the key that were lost longest ago, so that ever new ones don't fill the table. */
async function forgetLostRunners(trx: Knex, runnerKeyId: RunnerKeyId): Promise<void> {
  await trx.raw(
    `DELETE FROM runners WHERE key IN (
       SELECT key FROM runners WHERE runner_key_id = ? AND lease_until < clock_timestamp()
       ORDER BY lease_until DESC OFFSET ? LIMIT ?)`,
    [runnerKeyId, LOST_RUNNERS_KEPT, FORGOTTEN_AT_ONCE],
  );
}

/** The renewal of a session's lease by its newest heartbeat. */
export interface LeaseRenewal {
  sessionId: string;
  accepting: boolean;
  draining: boolean;
  stats: Record<string, number>;
}

const RENEWALS = defineRecordset({
  sessionId: "text",
  accepting: "boolean",
  draining: "boolean",
  stats: "jsonb",
});

/**
 * Renews the leases of sessions that got a heartbeat, and extends their runners' presence, by one statement for all. A runner
 * that drains is present until it said so: what falls due later is no longer its to run.
 */
export async function renewLeases(db: Knex, renewals: readonly LeaseRenewal[]): Promise<void> {
  await db.raw(
    `WITH given AS (
       SELECT * FROM ${RENEWALS.as("g")}
     ), before AS (
       SELECT r.key, r.accepting, r.draining FROM runners r JOIN given g ON r.session_id = g."sessionId"
     ), renewed AS (
       UPDATE runners r SET last_heartbeat_at = clock_timestamp(), stats = g.stats, accepting = g.accepting,
         draining = g.draining, lease_until = clock_timestamp() + ? * interval '1 ms',
         not_accepting_since = CASE WHEN g.accepting THEN NULL ELSE coalesce(r.not_accepting_since, clock_timestamp()) END
       FROM given g WHERE r.session_id = g."sessionId"
       RETURNING r.key, r.location_keys, r.accepting, r.draining
     ), present AS (
       UPDATE runner_presence p SET until_ms = ${NOW_MS} FROM renewed r JOIN before b ON b.key = r.key
       WHERE NOT b.draining AND p.runner_key = r.key AND p.location_key = ANY(r.location_keys)
         AND p.from_ms = (SELECT max(q.from_ms) FROM runner_presence q
                          WHERE q.location_key = p.location_key AND q.runner_key = p.runner_key)
     )
     SELECT ${fleetWakeUpSql("runners")}
     WHERE EXISTS (SELECT 1 FROM before b JOIN renewed r USING (key)
                   WHERE b.accepting <> r.accepting OR b.draining <> r.draining)`,
    [JSON.stringify(renewals), LEASE_MS],
  );
}

/**
 * Ends the session's lease after `remainingMs`: 0 after a goodbye; more when the stream broke and the runner may come
 * back. A session that is no longer the runner's newest one changes nothing.
 */
export async function endLease(db: Knex, sessionId: string, remainingMs: number): Promise<void> {
  await db.raw(
    `WITH ended AS (
       UPDATE runners SET lease_until = least(lease_until, clock_timestamp() + ?::integer * interval '1 ms'),
         session_id = CASE WHEN ?::integer = 0 THEN NULL ELSE session_id END
       WHERE session_id = ? RETURNING key
     )
     SELECT ${fleetWakeUpSql("runners")} FROM ended`,
    [remainingMs, remainingMs, sessionId],
  );
}
