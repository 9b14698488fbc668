/**
 * SQL of deliveries: one for each subscriber and announcement that is on its way. A row is claimed by moving its `due_at` to the end
 * of a lease, and goes when it is done; the rows of a lost process become due again by themselves. Instants: control-plane clock.
 */
import type { StatusNoticeId, StatusSubscriberId, StatusSubscriberType, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { AnnouncementContent } from "./announcement-store.ts";

/** A delivery that this process has claimed. */
export interface ClaimedDelivery {
  key: number;
  teamId: TeamId;
  /** Number of this attempt, from 1. */
  attempts: number;
  createdAt: string;
  subscriberId: StatusSubscriberId;
  /** null: a webhook. */
  address: string | null;
  /** null: a mail address. */
  endpointSealed: Buffer | null;
  /** null: a webhook. */
  linkKey: Buffer | null;
  /** null: confirmed. */
  unconfirmedUntil: string | null;
  page: { slug: string; title: string; isPublished: boolean; hasMailSubscriptions: boolean };
  /** null: the mail by which a subscription is confirmed. */
  announcement: { noticeId: StatusNoticeId; occasion: string; content: AnnouncementContent } | null;
}

/** The type of the deliveries to claim, and how many. Instants: Unix ms. */
export interface ClaimDeliveries {
  type: StatusSubscriberType;
  nowMs: number;
  leaseUntilMs: number;
  /** Most deliveries of a team. */
  perTeam: number;
  /** Most deliveries altogether. */
  rowsMax: number;
}

/**
 * Claims due deliveries by teams in turns, so that no team's many hold up another's few. Of a subscriber only the oldest can be
 * claimed, so that updates arrive in order.
 */
export function claimDeliveries(
  db: Knex,
  { type, nowMs, leaseUntilMs, perTeam, rowsMax }: ClaimDeliveries,
): Promise<ClaimedDelivery[]> {
  return queryRows(
    db,
    `WITH RECURSIVE teams (team_id) AS (
       (SELECT team_id FROM status_deliveries WHERE type = :type ORDER BY team_id LIMIT 1)
       UNION ALL
       SELECT (SELECT d.team_id FROM status_deliveries d WHERE d.type = :type AND d.team_id > t.team_id ORDER BY d.team_id LIMIT 1)
       FROM teams t WHERE t.team_id IS NOT NULL
     ), candidates AS (
       SELECT due.key, due.due_at, row_number() OVER (PARTITION BY t.team_id ORDER BY due.due_at, due.key) AS turn
       FROM teams t CROSS JOIN LATERAL (
         SELECT d.key, d.due_at FROM status_deliveries d
         WHERE d.type = :type AND d.team_id = t.team_id AND d.due_at <= :now
           AND NOT EXISTS (SELECT FROM status_deliveries e WHERE e.subscriber_key = d.subscriber_key AND e.key < d.key)
         ORDER BY d.due_at, d.key LIMIT :perTeam) due
       ORDER BY turn, due.due_at, due.key LIMIT :rowsMax
     ), taken AS (
       SELECT locked.key FROM candidates c CROSS JOIN LATERAL (
         SELECT d.key FROM status_deliveries d WHERE d.key = c.key AND d.due_at <= :now FOR UPDATE SKIP LOCKED) locked
     ), claimed AS (
       UPDATE status_deliveries d SET due_at = :leaseUntil, attempts = d.attempts + 1
       FROM taken WHERE d.key = taken.key RETURNING d.*
     )
     SELECT c.key, c.team_id, c.attempts, c.created_at, s.id AS subscriber_id, s.address, s.endpoint_sealed, s.link_key, s.unconfirmed_until,
       json_build_object('slug', p.slug, 'title', p.title, 'isPublished', p.is_published,
         'hasMailSubscriptions', p.has_mail_subscriptions) AS page,
       CASE WHEN a.key IS NOT NULL THEN
         json_build_object('noticeId', n.id, 'occasion', a.occasion, 'content', a.content) END AS announcement
     FROM claimed c JOIN status_subscribers s ON s.key = c.subscriber_key JOIN status_pages p ON p.key = s.page_key
     LEFT JOIN status_announcements a ON a.key = c.announcement_key LEFT JOIN status_notices n ON n.key = a.notice_key
     ORDER BY c.key`,
    { type, now: new Date(nowMs), leaseUntil: new Date(leaseUntilMs), perTeam, rowsMax },
  );
}

/** Removes a claimed delivery that is done or given up. Does nothing when another process has claimed it since. */
export async function finishDelivery(db: Knex, { key, attempts }: ClaimedDelivery): Promise<void> {
  await db("statusDeliveries").where({ key, attempts }).delete();
}

/** Has a claimed delivery tried again at an instant, Unix ms. @param wasTried false: the attempt did not take place */
export async function postponeDelivery(
  db: Knex,
  { key, attempts }: ClaimedDelivery,
  { dueAtMs, wasTried }: { dueAtMs: number; wasTried: boolean },
): Promise<void> {
  await db("statusDeliveries")
    .where({ key, attempts })
    .update({ dueAt: new Date(dueAtMs), attempts: wasTried ? attempts : attempts - 1 });
}

/** Gives up the deliveries that were made before an instant, Unix ms. Returns how many. */
export async function purgeDeliveries(db: Knex, beforeMs: number, rowsMax: number): Promise<number> {
  const rows = await queryRows(
    db,
    `DELETE FROM status_deliveries WHERE key IN (
       SELECT key FROM status_deliveries WHERE created_at < :before ORDER BY created_at LIMIT :rowsMax) RETURNING key`,
    { before: new Date(beforeMs), rowsMax },
  );
  return rows.length;
}

/** Has the mail sent by which a subscription is confirmed, unless one waits already. It goes before announcements. */
export async function insertConfirmation(
  trx: Knex,
  { teamId, subscriberKey, nowMs }: { teamId: TeamId; subscriberKey: number; nowMs: number },
): Promise<void> {
  if (await trx("statusDeliveries").where({ subscriberKey }).first("key")) return;
  await trx("statusDeliveries").insert({
    teamId,
    subscriberKey,
    type: "email",
    createdAt: new Date(nowMs),
    // Earlier than any announcement, of which the team may have thousands: somebody waits for it.
    dueAt: new Date(0),
  });
}
