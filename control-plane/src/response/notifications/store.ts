/**
 * All SQL of notifications on their way out and of deliveries. A row is taken by moving its due_at to the end of a lease:
 * what a lost worker held becomes due again by itself. Leases and delays are by the database's clock, which replicas share.
 */
import {
  type ChannelType,
  type Delivery,
  type IncidentTemplate,
  newId,
  notFound,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import type {
  AlertNotificationKind,
  AlertNotificationPayload,
  IncidentNotificationKind,
  IncidentNotificationPayload,
} from "../../outbox/payload.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { RETRY_SPAN_MS } from "./retry.ts";

/** What it is about, by its kind. */
export type Said =
  | { kind: AlertNotificationKind; payload: AlertNotificationPayload }
  | { kind: IncidentNotificationKind; payload: IncidentNotificationPayload };

/** A notification in this process's hands, with the channel it is for. */
export type ClaimedNotification = Said & ClaimedRow;

export interface ClaimedRow {
  key: number;
  id: string;
  teamId: TeamId;
  /** The incident or the alert instance. */
  subjectId: string;
  /** The alert instances that it tells of; null: the subject is the one. */
  instanceIds: string[] | null;
  /** An incident event that the channel was told less than {@link DEDUPE_MS} ago. */
  isDuplicate: boolean;
  isRetried: boolean;
  isTest: boolean;
  /** This attempt, from 1. */
  attempt: number;
  ageMs: number;
  channelKey: number;
  channelId: string;
  channelName: string;
  channelType: ChannelType;
  channelConfig: Buffer;
  incidentTemplate: IncidentTemplate | null;
  /** What the other side calls the subject. */
  externalId: string | null;
}

/** A channel that was told of an incident event is not told of it again for this long. */
export const DEDUPE_MS = 30_000;

const CLAIMED_COLUMNS = `n.key, n.id, n.team_id AS "teamId", n.kind, n.subject_id AS "subjectId", n.payload,
  n.is_retried AS "isRetried", n.is_test AS "isTest", n.attempts AS attempt,
  (extract(epoch FROM clock_timestamp() - n.created_at) * 1000)::bigint AS "ageMs",
  c.key AS "channelKey", c.id AS "channelId", c.name AS "channelName", c.type AS "channelType", c.config AS "channelConfig",
  c.incident_template AS "incidentTemplate", n.instance_ids AS "instanceIds",
  n.event_id IS NOT NULL AND c.type = 'webhook' AND EXISTS (
    SELECT FROM notifications o JOIN notification_deliveries d ON d.notification_key = o.key
    WHERE o.channel_key = n.channel_key AND o.event_id = n.event_id AND NOT o.is_test AND d.status <> 'skipped_dedupe'
      AND d.created_at > clock_timestamp() - interval '${DEDUPE_MS} ms') AS "isDuplicate",
  (SELECT r.external_id FROM notification_references r
     WHERE r.channel_key = c.key AND r.subject_id = n.subject_id) AS "externalId"`;

export interface ClaimOptions {
  /** This process. */
  owner: string;
  leaseMs: number;
  /** Most rows to take. */
  limit: number;
  /** Most rows of one channel to hold. */
  perChannel: number;
  /** How many of each channel this process holds already. */
  held: ReadonlyMap<number, number>;
}

/**
 * Takes due notifications: from each channel its oldest ones, so that no channel's queue stands before another's. Of those
 * about one subject only the first that is not told yet can be taken, so that they arrive in order whoever sends them.
 */
export function claimNotifications(
  db: Knex,
  { owner, leaseMs, limit, perChannel, held }: ClaimOptions,
): Promise<ClaimedNotification[]> {
  return queryRows(
    db,
    `WITH RECURSIVE waiting (channel_key) AS (
       -- Each channel that has something to send, one step along the index at a time.
       (SELECT channel_key FROM notifications WHERE status = 'pending' ORDER BY channel_key LIMIT 1)
       UNION ALL
       SELECT (SELECT n.channel_key FROM notifications n WHERE n.status = 'pending' AND n.channel_key > w.channel_key
               ORDER BY n.channel_key LIMIT 1)
       FROM waiting w WHERE w.channel_key IS NOT NULL
     ), candidates AS (
       SELECT due.key FROM waiting w
       LEFT JOIN unnest(CAST(:heldKeys AS bigint[]), CAST(:heldCounts AS integer[])) AS h (channel_key, count)
         ON h.channel_key = w.channel_key
       CROSS JOIN LATERAL (
         SELECT n.key, n.due_at, row_number() OVER (ORDER BY n.due_at, n.key) AS position FROM (
           SELECT key, due_at FROM notifications n
           WHERE n.channel_key = w.channel_key AND n.status = 'pending' AND n.due_at <= clock_timestamp()
             -- The sum keeps the planner from the channel's index, which in a storm holds all of it: found by the subject.
             AND NOT EXISTS (SELECT FROM notifications e WHERE e.subject_id = n.subject_id AND e.status = 'pending'
                               AND e.channel_key + 0 = n.channel_key AND e.key < n.key OFFSET 0)
           ORDER BY n.due_at, n.key LIMIT :perChannel) n
       ) due
       WHERE w.channel_key IS NOT NULL AND due.position <= :perChannel - coalesce(h.count, 0)
       ORDER BY due.due_at, due.key LIMIT :limit
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
      ...{ owner, leaseMs, limit, perChannel },
      heldKeys: [...held.keys()],
      heldCounts: [...held.values()],
    },
  );
}

/**
 * Takes one notification for an attempt by hand, whatever became of it so far.
 * @returns undefined when a worker has it in its hands, or there is none
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
    { key, owner, leaseMs },
  );
  return row;
}

/** How an attempt ended. */
export interface Attempt {
  status: "delivered" | "failed" | "skipped_dedupe";
  httpStatus: number | null;
  error: string | null;
  durationMs: number;
  /** Of a failed one: ms from now; null: no other follows. */
  nextDelayMs: number | null;
  externalId: string | undefined;
}

export interface FinishedAttempt {
  claimed: ClaimedNotification;
  attempt: Attempt;
}

export interface RecordedAttempt {
  deliveryId: string;
  /** Whether this is the attempt by which the notification was delivered first. */
  isFirstSuccess: boolean;
}

/**
 * Records attempts, each at another notification, and what follows from them. A success counts even when its lease had
 * ended meanwhile, and is never undone by a failure that comes after it; a failure then leaves the notification to whoever
 * holds it now. Of a notification that is gone nothing is recorded.
 * @returns in the order given
 */
export async function recordAttempts(
  trx: Knex,
  owner: string,
  finished: readonly FinishedAttempt[],
): Promise<RecordedAttempt[]> {
  const given = finished.map(({ claimed, attempt: { externalId, ...attempt } }) => ({
    ...{ key: claimed.key, attempt: claimed.attempt, deliveryId: newId("delivery") },
    ...attempt,
  }));
  const firstSuccesses = await queryRows<{ deliveryId: string }>(
    trx,
    `WITH given AS (
       SELECT * FROM json_to_recordset(:given) AS g (key bigint, attempt integer, "deliveryId" text, status text,
         "httpStatus" integer, error text, "durationMs" integer, "nextDelayMs" integer)
     ), locked AS (
       SELECT key, status AS before FROM notifications WHERE key IN (SELECT key FROM given) ORDER BY key FOR UPDATE
     ), updated AS (
       UPDATE notifications n
       SET status = CASE WHEN locked.before = 'delivered' OR g.status <> 'failed' THEN 'delivered'
                         WHEN g."nextDelayMs" IS NULL THEN 'failed' ELSE 'pending' END,
         due_at = clock_timestamp() + coalesce(g."nextDelayMs", 0) * interval '1 ms', leased_by = NULL
       FROM given g JOIN locked ON locked.key = g.key
       WHERE n.key = g.key AND (g.status = 'delivered' OR n.leased_by = :owner)
       RETURNING n.key, n.status, n.due_at, locked.before
     ), recorded AS (
       INSERT INTO notification_deliveries (id, channel_key, notification_key, attempt, status, http_status, error,
         duration_ms, next_attempt_at)
       SELECT g."deliveryId", n.channel_key, g.key, g.attempt, g.status, g."httpStatus", g.error, g."durationMs",
         CASE WHEN u.status = 'pending' THEN u.due_at END
       FROM given g JOIN notifications n ON n.key = g.key LEFT JOIN updated u ON u.key = g.key
     )
     SELECT g."deliveryId" FROM given g JOIN updated u ON u.key = g.key
     WHERE g.status = 'delivered' AND u.before <> 'delivered'`,
    { given: JSON.stringify(given), owner },
  );
  await rememberReferences(trx, finished);
  const isFirst = new Set(firstSuccesses.map((row) => row.deliveryId));
  return given.map(({ deliveryId }) => ({ deliveryId, isFirstSuccess: isFirst.has(deliveryId) }));
}

/** Keeps what the other side calls a subject. */
async function rememberReferences(trx: Knex, finished: readonly FinishedAttempt[]): Promise<void> {
  const references = finished.flatMap(({ claimed, attempt: { externalId } }) =>
    externalId === undefined || externalId === claimed.externalId
      ? []
      : [{ channel_key: claimed.channelKey, subject_id: claimed.subjectId, external_id: externalId }],
  );
  if (references.length === 0) return;
  await trx.raw(
    `INSERT INTO notification_references (channel_key, subject_id, external_id)
     SELECT c.key, r.subject_id, r.external_id
     FROM json_to_recordset(?) AS r (channel_key bigint, subject_id text, external_id text)
     JOIN notification_channels c ON c.key = r.channel_key
     ON CONFLICT (channel_key, subject_id) DO UPDATE SET external_id = excluded.external_id`,
    [JSON.stringify(references)],
  );
}

/** Gives back what was taken and not begun. */
export async function releaseNotifications(db: Knex, owner: string, keys: readonly number[]): Promise<void> {
  if (keys.length === 0) return;
  await db.raw(
    `UPDATE notifications SET due_at = clock_timestamp(), leased_by = NULL, attempts = attempts - 1
     WHERE key = ANY(?) AND leased_by = ? AND status = 'pending'`,
    [[...keys], owner],
  );
}

const EXPIRED_AT_ONCE = 1_000;

/** Ends what waited too long behind others to be sent in time. @returns how many */
export async function expireNotifications(db: Knex): Promise<number> {
  const expired = await queryRows<{ key: number }>(
    db,
    `WITH expired AS (
       SELECT key FROM notifications WHERE status = 'pending' AND due_at <= clock_timestamp()
         AND created_at < clock_timestamp() - :spanMs * interval '1 ms'
       LIMIT :limit FOR UPDATE SKIP LOCKED
     )
     UPDATE notifications n SET status = 'failed', leased_by = NULL FROM expired WHERE n.key = expired.key
     RETURNING n.key`,
    { spanMs: RETRY_SPAN_MS, limit: EXPIRED_AT_ONCE },
  );
  if (expired.length === 0) return 0;
  const deliveries = expired.map(({ key }) => ({ key, id: newId("delivery") }));
  await db.raw(
    `INSERT INTO notification_deliveries (id, channel_key, notification_key, attempt, status, error, duration_ms)
     SELECT x.id, n.channel_key, n.key, n.attempts, 'failed', 'not delivered within an hour; given up', 0
     FROM json_to_recordset(?) AS x (key bigint, id text) JOIN notifications n ON n.key = x.key`,
    [JSON.stringify(deliveries)],
  );
  return expired.length;
}

/** Removes what ended before, with its deliveries. @returns how many notifications */
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

/** How many notifications wait to be sent, those in a worker's hands included. */
export async function countPending(db: Knex): Promise<number> {
  const [row] = await queryRows<{ count: number }>(
    db,
    "SELECT count(*) AS count FROM notifications WHERE status = 'pending'",
  );
  return row?.count ?? 0;
}

const DELIVERY_COLUMNS = `d.id, n.id AS "notificationId",
  regexp_replace(n.kind, '^incident[.]', '') AS "eventType", n.subject_id AS "subjectId", d.status,
  n.is_test AS "isTest", d.attempt, d.http_status AS "httpStatus", d.error, d.duration_ms AS "durationMs",
  d.next_attempt_at AS "nextAttemptAt", d.created_at AS "createdAt"`;

/** A channel's deliveries, newest first. */
export function listDeliveries(
  db: Knex,
  channelKey: number,
  limit: number,
  offset: number,
): Promise<Delivery[]> {
  return queryRows(
    db,
    `SELECT ${DELIVERY_COLUMNS} FROM notification_deliveries d JOIN notifications n ON n.key = d.notification_key
     WHERE d.channel_key = ? ORDER BY d.key DESC LIMIT ? OFFSET ?`,
    [channelKey, limit, offset],
  );
}

/** One delivery by its id. @throws DomainError not_found when its channel was deleted meanwhile */
export async function getDelivery(db: Knex, id: string): Promise<Delivery> {
  const [row] = await queryRows<Delivery>(
    db,
    `SELECT ${DELIVERY_COLUMNS} FROM notification_deliveries d JOIN notifications n ON n.key = d.notification_key
     WHERE d.id = ?`,
    [id],
  );
  if (!row) throw notFound("Delivery");
  return row;
}

/** Key of the notification that a delivery of the channel was an attempt at. */
export async function findNotificationOf(
  db: Knex,
  channelKey: number,
  deliveryId: string,
): Promise<number | undefined> {
  const row = await db("notificationDeliveries")
    .where({ channelKey, id: deliveryId })
    .first("notificationKey");
  return row?.notificationKey;
}
