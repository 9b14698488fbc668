/**
 * SQL of notifications on their way out. A row is claimed by moving its `due_at` to the end of a lease: the rows of a
 * process that is lost become due again by themselves. Leases and delays use the database's clock, which all replicas
 * share.
 */
import { newId, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { typesWithAudience } from "../../outbox/audience.ts";
import { REPORT_NOTIFICATION_KIND } from "../../outbox/payload.ts";
import { defineRecordset } from "../../platform/db/recordset.ts";
import { queryRows } from "../../platform/db/rows.ts";
import type { ClaimedNotification } from "./claimed-notification.ts";
import { REPORT_RETRY_TIMES, RETRY_TIMES } from "./retry.ts";

/** Time for which a machine's channel is not sent an incident event again, once it was delivered, ms. */
export const DEDUPE_MS = 30_000;

/** Channel types whose incident events are not repeated, as an SQL list. */
const DEDUPED_TYPES = typesWithAudience("machine")
  .map((type) => `'${type}'`)
  .join(", ");

const CLAIMED_COLUMNS = `n.key, n.id, n.team_id, n.kind, n.subject_id, n.payload, n.is_retried, n.is_test, n.attempts AS attempt,
  (extract(epoch FROM greatest(clock_timestamp() - greatest(n.created_at, n.held_until), interval '0')) * 1000)::bigint AS age_ms,
  c.key AS channel_key, c.id AS channel_id, c.name AS channel_name, c.type AS channel_type, c.config AS channel_config,
  c.incident_template, n.instance_ids, n.unreached,
  n.event_id IS NOT NULL AND c.type IN (${DEDUPED_TYPES}) AND EXISTS (
    SELECT FROM notifications o JOIN notification_deliveries d ON d.notification_key = o.key
    WHERE o.channel_key = n.channel_key AND o.event_id = n.event_id AND NOT o.is_test AND d.status = 'delivered'
      AND d.created_at > clock_timestamp() - interval '${DEDUPE_MS} ms') AS is_duplicate,
  (SELECT r.external_id FROM notification_references r
     WHERE r.channel_key = c.key AND r.subject_id = n.subject_id) AS external_id,
  n.held_until IS NOT NULL AND n.kind <> '${REPORT_NOTIFICATION_KIND}' AND NOT EXISTS (
    SELECT FROM incidents i WHERE i.id = n.subject_id AND i.state IN ('open', 'acknowledged') UNION ALL
    SELECT FROM alert_instances a WHERE a.id = n.subject_id AND a.state IN ('active', 'acknowledged') UNION ALL
    SELECT FROM locations l JOIN location_health h ON h.location_key = l.key
    WHERE l.id = n.subject_id AND h.health <> 'active' AND l.deleted_at IS NULL) AS is_over,
  n.held_until IS NOT NULL AND EXISTS (
    SELECT FROM notifications o WHERE o.subject_id = n.subject_id AND o.channel_key + 0 = n.channel_key
      AND (o.status = 'delivered' OR o.unreached IS NOT NULL) AND NOT o.is_test) AS was_notified`;

/**
 * True of a row `n` when none about its subject waits before it. One that quiet hours hold keeps no others back: those are held as
 * well, or are critical. Nor does one that waits for some of its addresses only. The sum keeps the planner from the channel's index, which in a storm holds all of it: found by the subject.
 */
const IS_NEXT_OF_SUBJECT = `NOT EXISTS (SELECT FROM notifications e WHERE e.subject_id = n.subject_id AND e.status = 'pending'
    AND e.channel_key + 0 = n.channel_key AND e.key < n.key AND e.unreached IS NULL
    AND (e.held_until IS NULL OR e.held_until <= clock_timestamp()) OFFSET 0)`;

/** A recursive common table expression: each channel that has something to send, one step along the index at a time. */
const WAITING_CHANNELS = `waiting (channel_key) AS (
       (SELECT channel_key FROM notifications WHERE status = 'pending' ORDER BY channel_key LIMIT 1)
       UNION ALL
       SELECT (SELECT n.channel_key FROM notifications n WHERE n.status = 'pending' AND n.channel_key > w.channel_key
               ORDER BY n.channel_key LIMIT 1)
       FROM waiting w WHERE w.channel_key IS NOT NULL
     )`;

/** The claiming process, its lease, and how many rows it may take. */
export interface ClaimOptions {
  /** Id of this process. */
  owner: string;
  leaseMs: number;
  /** Most rows to claim. */
  limit: number;
  /** Most rows to claim of one channel. */
  perChannel: number;
  /** Number of rows for which this process has space, by channel key; of other channels it takes `perChannel`. */
  space: ReadonlyMap<number, number>;
}

/**
 * Claims due notifications: the oldest ones of each channel, so that no channel's queue delays another's, by teams in
 * turns, so that a claim is not filled with the rows of one team's many channels. Of those about one subject only the
 * first that is not delivered yet can be claimed, so that they arrive in order whoever sends them.
 */
export function claimNotifications(
  db: Knex,
  { owner, leaseMs, limit, perChannel, space }: ClaimOptions,
): Promise<ClaimedNotification[]> {
  return queryRows(
    db,
    `WITH RECURSIVE ${WAITING_CHANNELS}, candidates AS (
       SELECT due.key, due.due_at, row_number() OVER (PARTITION BY c.team_id ORDER BY due.due_at, due.key) AS turn
       FROM waiting w JOIN notification_channels c ON c.key = w.channel_key
       LEFT JOIN unnest(CAST(:spaceKeys AS bigint[]), CAST(:spaceCounts AS integer[])) AS space (channel_key, count)
         ON space.channel_key = w.channel_key
       CROSS JOIN LATERAL (
         SELECT n.key, n.due_at, row_number() OVER (ORDER BY n.due_at, n.key) AS position FROM (
           SELECT key, due_at FROM notifications n
           WHERE n.channel_key = w.channel_key AND n.status = 'pending' AND n.due_at <= clock_timestamp()
             AND ${IS_NEXT_OF_SUBJECT}
           ORDER BY n.due_at, n.key LIMIT :perChannel) n
       ) due
       WHERE w.channel_key IS NOT NULL AND due.position <= coalesce(space.count, :perChannel)
       ORDER BY turn, due.due_at, due.key LIMIT :limit
     ), taken AS (
       SELECT locked.key FROM candidates CROSS JOIN LATERAL (
         SELECT n.key FROM notifications n
         WHERE n.key = candidates.key AND n.status = 'pending' AND n.due_at <= clock_timestamp()
         FOR UPDATE SKIP LOCKED) locked
     ), claimed AS (
       UPDATE notifications n SET due_at = clock_timestamp() + :leaseMs * interval '1 ms', leased_by = :owner,
         attempts = n.attempts + 1
       FROM taken WHERE n.key = taken.key RETURNING n.*
     )
     SELECT ${CLAIMED_COLUMNS} FROM claimed n JOIN notification_channels c ON c.key = n.channel_key ORDER BY n.key`,
    {
      owner,
      leaseMs: wholeMs(leaseMs),
      limit,
      perChannel,
      spaceKeys: [...space.keys()],
      spaceCounts: [...space.values()],
    },
  );
}

/**
 * Claims one notification for an attempt by hand, whether it was delivered before or not.
 * @returns undefined when a worker holds the notification, or there is none
 */
export async function claimNotification(
  db: Knex,
  key: number,
  { owner, leaseMs }: Pick<ClaimOptions, "owner" | "leaseMs">,
): Promise<ClaimedNotification | undefined> {
  const [row] = await queryRows<ClaimedNotification>(
    db,
    `WITH claimed AS (
       UPDATE notifications n SET due_at = clock_timestamp() + :leaseMs * interval '1 ms', leased_by = :owner,
         attempts = n.attempts + 1
       WHERE n.key = :key AND (n.leased_by IS NULL OR n.due_at <= clock_timestamp()) RETURNING n.*
     )
     SELECT ${CLAIMED_COLUMNS} FROM claimed n JOIN notification_channels c ON c.key = n.channel_key`,
    { key, owner, leaseMs: wholeMs(leaseMs) },
  );
  return row;
}

/** Returns the number of attempts at a notification, the one under way included. */
export async function countAttempts(db: Knex, key: number): Promise<number> {
  const row: { attempts: number } | undefined = await db("notifications").where({ key }).first("attempts");
  return row?.attempts ?? 0;
}

/** Releases notifications that were claimed but not attempted. */
export async function releaseNotifications(db: Knex, owner: string, keys: readonly number[]): Promise<void> {
  if (keys.length === 0) return;
  await db.raw(
    `UPDATE notifications SET due_at = clock_timestamp(), leased_by = NULL, attempts = attempts - 1
     WHERE key = ANY(?) AND leased_by = ? AND status = 'pending'`,
    [[...keys], owner],
  );
}

const EXPIRED_DELIVERIES = defineRecordset({ key: "bigint", id: "text" });

/** Most notifications that one call gives up, by default. */
const EXPIRED_MAX = 1_000;

/**
 * Gives up notifications that waited behind others for longer than retries may last; those that reached some addresses are delivered. By teams in turns, so that one
 * team's many leave those of another no longer pending than its own.
 * @param limit most notifications that the call gives up
 * @returns the number of notifications
 */
export async function expireNotifications(db: Knex, limit = EXPIRED_MAX): Promise<number> {
  const expired = await queryRows<{ key: number }>(
    db,
    `WITH RECURSIVE ${WAITING_CHANNELS}, candidates AS (
       SELECT late.key, row_number() OVER (PARTITION BY late.team_id ORDER BY late.due_at, late.key) AS turn
       FROM waiting w CROSS JOIN LATERAL (
         SELECT n.key, n.team_id, n.due_at FROM notifications n
         WHERE n.channel_key = w.channel_key AND n.status = 'pending' AND n.due_at <= clock_timestamp()
           AND greatest(n.created_at, n.held_until) < clock_timestamp()
             - CASE n.kind WHEN '${REPORT_NOTIFICATION_KIND}' THEN CAST(:reportSpanMs AS bigint) ELSE :spanMs END * interval '1 ms'
         ORDER BY n.due_at, n.key LIMIT :limit) late
       ORDER BY turn, late.key LIMIT :limit
     ), expired AS (
       SELECT locked.key FROM candidates CROSS JOIN LATERAL (
         SELECT n.key FROM notifications n
         WHERE n.key = candidates.key AND n.status = 'pending' AND n.due_at <= clock_timestamp()
         FOR UPDATE SKIP LOCKED) locked
     )
     UPDATE notifications n SET status = CASE WHEN unreached IS NULL THEN 'failed' ELSE 'delivered' END, unreached = NULL,
       leased_by = NULL FROM expired WHERE n.key = expired.key
     RETURNING n.key`,
    { spanMs: wholeMs(RETRY_TIMES.spanMs), reportSpanMs: wholeMs(REPORT_RETRY_TIMES.spanMs), limit },
  );
  if (expired.length === 0) return 0;
  const deliveries = expired.map(({ key }) => ({ key, id: newId("delivery") }));
  await db.raw(
    `INSERT INTO notification_deliveries (id, channel_key, notification_key, attempt, status, error, duration_ms)
     SELECT x.id, n.channel_key, n.key, n.attempts, 'failed',
       'not delivered within ' || CASE n.kind WHEN '${REPORT_NOTIFICATION_KIND}' THEN 'two days' ELSE 'an hour' END || '; given up', 0
     FROM ${EXPIRED_DELIVERIES.as("x")} JOIN notifications n ON n.key = x.key`,
    [JSON.stringify(deliveries)],
  );
  return expired.length;
}

/**
 * Deletes notifications that were written before an instant and are delivered or given up, with their deliveries.
 * @returns the number of notifications
 */
export async function purgeNotifications(db: Knex, before: Date, limit: number): Promise<number> {
  const rows = await queryRows(
    db,
    `DELETE FROM notifications WHERE key IN (
       SELECT key FROM notifications WHERE status <> 'pending' AND created_at < ? ORDER BY created_at LIMIT ?)
     RETURNING 1`,
    [before, limit],
  );
  return rows.length;
}

/**
 * True when a notification that could be claimed has been due for so long (ms) and none was even tried meanwhile, to any channel. One
 * that is to be tried again later, and those about its subject behind it, are not due.
 */
export async function areNotificationsStuck(db: Knex, forMs: number): Promise<boolean> {
  const [row] = await queryRows<{ isStuck: boolean }>(
    db,
    `SELECT coalesce((SELECT created_at FROM notification_deliveries ORDER BY key DESC LIMIT 1) < since, true) AND EXISTS (
       SELECT FROM notifications n WHERE n.status = 'pending' AND n.due_at < since
         AND ${IS_NEXT_OF_SUBJECT}) AS is_stuck
     FROM (SELECT clock_timestamp() - make_interval(secs => ? / 1000.0) AS since) period`,
    [forMs],
  );
  return row?.isStuck ?? false;
}

/** Returns the number of notifications that wait to be sent, claimed and held ones included. */
export async function countPending(db: Knex): Promise<number> {
  const [row] = await queryRows<{ count: number }>(
    db,
    "SELECT count(*) AS count FROM notifications WHERE status = 'pending'",
  );
  return row?.count ?? 0;
}
