/** SQL of deliveries: the log of attempts, and the consequences of each for its notification. */
import { type Delivery, type DeliveryId, newId, notFound } from "@svc/contract";
import type { Knex } from "knex";
import { defineRecordset } from "../../platform/db/recordset.ts";
import { queryRows } from "../../platform/db/rows.ts";
import type { ListPart } from "../../platform/http/record-list.ts";
import type { ClaimedNotification } from "./claimed-notification.ts";

/** Outcome of an attempt. */
export interface DeliveryAttempt {
  status: Delivery["status"];
  httpStatus: number | null;
  error: string | null;
  durationMs: number;
  /** Delay before the next attempt, ms; null when none follows. */
  nextDelayMs: number | null;
  /** End of the quiet hours that hold the notification, ISO 8601; null when it is not held. */
  heldUntil: string | null;
  /** The other side's name for the subject, when its answer gave one. */
  externalId: string | undefined;
  /** Of an attempt that succeeded: addresses that are left for the next one; absent: none. */
  unreached?: readonly string[] | undefined;
}

/** An attempt that ended, at a notification. */
export interface FinishedAttempt {
  claimed: ClaimedNotification;
  attempt: DeliveryAttempt;
}

/** An attempt that was recorded. */
export interface RecordedAttempt {
  deliveryId: DeliveryId;
  /** True for the attempt that delivered the notification for the first time. */
  isFirstSuccess: boolean;
}

const ATTEMPTS = defineRecordset({
  key: "bigint",
  attempt: "integer",
  deliveryId: "text",
  status: "text",
  httpStatus: "integer",
  error: "text",
  durationMs: "integer",
  nextDelayMs: "integer",
  heldUntil: "timestamptz",
  unreached: "text[]",
});

/** True when the notification was not attempted at all: its number counts the attempts before. */
function isUnattempted({ status }: Pick<DeliveryAttempt, "status">): boolean {
  return status === "held" || status === "skipped_over";
}

/**
 * Records attempts, each at another notification, and updates the notifications. A success counts even when its lease
 * has ended meanwhile, and no later failure undoes it. A failure whose lease has ended leaves the notification to its
 * present holder. A success that leaves addresses is followed by attempts at these; when they fail to the end it stays a success.
 * Nothing is recorded for a notification that was deleted.
 * @param owner id of this process
 * @returns the records in the order given
 */
export async function recordAttempts(
  trx: Knex,
  owner: string,
  finished: readonly FinishedAttempt[],
): Promise<RecordedAttempt[]> {
  const given = finished.map(({ claimed, attempt: { externalId, ...attempt } }) => ({
    key: claimed.key,
    deliveryId: newId("delivery"),
    ...attempt,
    attempt: claimed.attempt - (isUnattempted(attempt) ? 1 : 0),
  }));
  const firstSuccesses = await queryRows<{ deliveryId: DeliveryId }>(
    trx,
    `WITH given AS (
       SELECT * FROM ${ATTEMPTS.as("g", ":given")}
     ), locked AS (
       SELECT key, status AS before, held_until AS held_before, unreached AS left_before FROM notifications WHERE key IN (SELECT key FROM given) ORDER BY key FOR UPDATE
     ), updated AS (
       UPDATE notifications n
       -- An attempt is skipped only for an event that the channel was delivered already.
       SET status = CASE WHEN locked.before = 'delivered' OR g.status = 'skipped_dedupe' THEN 'delivered'
                         WHEN g.status = 'held' OR g."nextDelayMs" IS NOT NULL THEN 'pending'
                         WHEN g.status = 'delivered' OR locked.left_before IS NOT NULL THEN 'delivered'
                         WHEN g.status = 'skipped_over' THEN 'skipped' ELSE 'failed' END,
         unreached = CASE WHEN locked.before = 'delivered' OR g.status <> 'held' AND g."nextDelayMs" IS NULL THEN NULL
                          WHEN g.status = 'delivered' THEN g.unreached ELSE n.unreached END,
         due_at = coalesce(g."heldUntil", clock_timestamp() + coalesce(g."nextDelayMs", 0) * interval '1 ms'),
         held_until = coalesce(g."heldUntil", n.held_until), leased_by = NULL,
         attempts = n.attempts - CASE WHEN g.status IN ('held', 'skipped_over') THEN 1 ELSE 0 END
       FROM given g JOIN locked ON locked.key = g.key
       WHERE n.key = g.key AND (g.status = 'delivered' OR n.leased_by = :owner)
       RETURNING n.key, n.status, n.due_at, locked.before, locked.held_before, locked.left_before
     ), recorded AS (
       INSERT INTO notification_deliveries (id, channel_key, notification_key, attempt, status, http_status, error,
         duration_ms, next_attempt_at)
       SELECT g."deliveryId", n.channel_key, g.key, g.attempt, g.status, g."httpStatus", g.error, g."durationMs",
         CASE WHEN u.status = 'pending' THEN u.due_at END
       FROM given g JOIN notifications n ON n.key = g.key LEFT JOIN updated u ON u.key = g.key
       -- A replica whose clock is behind finds a notification held that was due again: nothing new to say.
       WHERE g.status <> 'held' OR u.held_before IS DISTINCT FROM g."heldUntil"
     )
     SELECT g."deliveryId" FROM given g JOIN updated u ON u.key = g.key
     WHERE g.status = 'delivered' AND u.before <> 'delivered' AND u.left_before IS NULL`,
    { given: JSON.stringify(given), owner },
  );
  await rememberReferences(trx, finished);
  const isFirst = new Set(firstSuccesses.map((row) => row.deliveryId));
  return given.map(({ deliveryId }) => ({ deliveryId, isFirstSuccess: isFirst.has(deliveryId) }));
}

const REFERENCES = defineRecordset({ channelKey: "bigint", subjectId: "text", externalId: "text" });

/** Stores the names that the other sides have given to subjects. */
async function rememberReferences(trx: Knex, finished: readonly FinishedAttempt[]): Promise<void> {
  const references = finished.flatMap(({ claimed, attempt: { externalId } }) =>
    externalId === undefined || externalId === claimed.externalId
      ? []
      : [{ channelKey: claimed.channelKey, subjectId: claimed.subjectId, externalId }],
  );
  if (references.length === 0) return;
  await trx.raw(
    `INSERT INTO notification_references (channel_key, subject_id, external_id)
     SELECT c.key, r."subjectId", r."externalId"
     FROM ${REFERENCES.as("r")}
     JOIN notification_channels c ON c.key = r."channelKey"
     ON CONFLICT (channel_key, subject_id) DO UPDATE SET external_id = excluded.external_id`,
    [JSON.stringify(references)],
  );
}

const DELIVERY_COLUMNS = `d.id, n.id AS notification_id, regexp_replace(n.kind, '^incident[.]', '') AS event_type, n.subject_id,
  d.status, n.status AS notification_status, n.is_test, d.attempt, d.http_status, d.error, d.duration_ms,
  CASE WHEN n.status = 'pending' THEN d.next_attempt_at END AS next_attempt_at, d.created_at`;

/** A delivery with its key, by which a channel's log is ordered. */
export type DeliveryRow = Delivery & { key: number };

/** Returns a part of a channel's log of deliveries, newest first. */
export function listDeliveryRows(
  db: Knex,
  channelKey: number,
  { after, rowsMax, offset }: ListPart,
): Promise<DeliveryRow[]> {
  return queryRows(
    db,
    `SELECT d.key, ${DELIVERY_COLUMNS}
     FROM notification_deliveries d JOIN notifications n ON n.key = d.notification_key
     WHERE d.channel_key = :channelKey ${after ? "AND d.key < :afterKey" : ""}
     ORDER BY d.key DESC LIMIT :rowsMax OFFSET :offset`,
    { channelKey, rowsMax, offset, ...(after && { afterKey: after[0] }) },
  );
}

/**
 * Returns a delivery.
 * @throws DomainError `not_found` when the channel was deleted meanwhile
 */
export async function getDelivery(db: Knex, id: DeliveryId): Promise<Delivery> {
  const [row] = await queryRows<Delivery>(
    db,
    `SELECT ${DELIVERY_COLUMNS} FROM notification_deliveries d JOIN notifications n ON n.key = d.notification_key
     WHERE d.id = ?`,
    [id],
  );
  if (!row) throw notFound("Delivery");
  return row;
}

/** Returns the key of the notification that a delivery of the channel was an attempt at; undefined when there is none. */
export async function findNotificationKey(
  db: Knex,
  channelKey: number,
  id: DeliveryId,
): Promise<number | undefined> {
  const row = await db("notificationDeliveries").where({ channelKey, id }).first("notificationKey");
  return row?.notificationKey;
}
