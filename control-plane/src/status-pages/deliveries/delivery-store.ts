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
  /** Attempts that ran out of time, after which the other side may have taken it. */
  timeouts: number;
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
export interface ClaimDeliveries extends DueDeliveries {
  leaseUntilMs: number;
  /** Most deliveries of a team. */
  perTeam: number;
  /** Most deliveries altogether. */
  rowsMax: number;
}

/** Deliveries that are due. */
export interface DueDeliveries {
  type: StatusSubscriberType;
  nowMs: number;
  /** Announcements of these teams are left alone. */
  exceptTeams: readonly TeamId[];
}

/** Due announcements of a team that are looked at in a round, whether or not they wait for another of their subscriber. */
const LOOKED_AT_PER_TEAM = 32;

const TEAMS = `teams (team_id) AS (
       (SELECT team_id FROM status_deliveries WHERE type = :type ORDER BY team_id LIMIT 1)
       UNION ALL
       SELECT (SELECT d.team_id FROM status_deliveries d WHERE d.type = :type AND d.team_id > t.team_id ORDER BY d.team_id LIMIT 1)
       FROM teams t WHERE t.team_id IS NOT NULL
     ), due AS (
       SELECT t.team_id, w.* FROM teams t CROSS JOIN LATERAL (
         SELECT d.key, d.due_at, d.subscriber_key FROM status_deliveries d
         WHERE d.type = :type AND d.team_id = t.team_id AND d.due_at <= :now AND d.announcement_key IS NOT NULL
         ORDER BY d.due_at, d.key LIMIT ${LOOKED_AT_PER_TEAM}) w
       WHERE t.team_id <> ALL(CAST(:exceptTeams AS text[]))
     )`;

/**
 * Has due deliveries that wait for an earlier one of their subscriber wait until that one is due, so that those which are looked at first
 * can be claimed: an outage leaves many that can't. Returns how many.
 */
export async function deferBlockedDeliveries(
  db: Knex,
  { type, nowMs, exceptTeams }: DueDeliveries,
): Promise<number> {
  const rows = await queryRows(
    db,
    `WITH RECURSIVE ${TEAMS}, blocked AS (
       SELECT w.key, greatest(f.due_at, :now) AS due_at FROM due w CROSS JOIN LATERAL (
         SELECT e.due_at FROM status_deliveries e WHERE e.subscriber_key = w.subscriber_key AND e.key < w.key
         ORDER BY e.key LIMIT 1) f
     ), locked AS (
       SELECT l.key, b.due_at FROM blocked b CROSS JOIN LATERAL (
         SELECT d.key FROM status_deliveries d WHERE d.key = b.key AND d.due_at < b.due_at FOR UPDATE SKIP LOCKED) l
     )
     UPDATE status_deliveries d SET due_at = l.due_at FROM locked l WHERE d.key = l.key RETURNING d.key`,
    { type, now: new Date(nowMs), exceptTeams },
  );
  return rows.length;
}

/**
 * Claims due deliveries by teams in turns, so that no team's many hold up another's few, and confirmations before announcements. Of a
 * subscriber only the oldest can be claimed, so that updates arrive in order.
 */
export function claimDeliveries(
  db: Knex,
  { type, nowMs, exceptTeams, leaseUntilMs, perTeam, rowsMax }: ClaimDeliveries,
): Promise<ClaimedDelivery[]> {
  return queryRows(
    db,
    `WITH RECURSIVE ${TEAMS}, free AS (
       SELECT t.team_id, 0 AS rank, c.key, c.due_at FROM teams t CROSS JOIN LATERAL (
         SELECT d.key, d.due_at FROM status_deliveries d
         WHERE d.type = :type AND d.team_id = t.team_id AND d.due_at <= :now AND d.announcement_key IS NULL
         ORDER BY d.due_at, d.key LIMIT :perTeam) c
       UNION ALL
       SELECT w.team_id, 1, w.key, w.due_at FROM due w
       WHERE NOT EXISTS (SELECT FROM status_deliveries e WHERE e.subscriber_key = w.subscriber_key AND e.key < w.key)
     ), candidates AS (
       SELECT key, due_at, turn FROM (
         SELECT key, due_at, row_number() OVER (PARTITION BY team_id ORDER BY rank, due_at, key) AS turn FROM free) f
       WHERE turn <= :perTeam ORDER BY turn, due_at, key LIMIT :rowsMax
     ), taken AS (
       SELECT locked.key FROM candidates c CROSS JOIN LATERAL (
         SELECT d.key FROM status_deliveries d WHERE d.key = c.key AND d.due_at <= :now FOR UPDATE SKIP LOCKED) locked
     ), claimed AS (
       UPDATE status_deliveries d SET due_at = :leaseUntil, attempts = d.attempts + 1
       FROM taken WHERE d.key = taken.key RETURNING d.*
     )
     SELECT c.key, c.team_id, c.attempts, c.timeouts, c.created_at, s.id AS subscriber_id, s.address, s.endpoint_sealed, s.link_key, s.unconfirmed_until,
       json_build_object('slug', p.slug, 'title', p.title, 'isPublished', p.is_published,
         'hasMailSubscriptions', p.has_mail_subscriptions) AS page,
       CASE WHEN a.key IS NOT NULL THEN
         json_build_object('noticeId', n.id, 'occasion', a.occasion, 'content', a.content) END AS announcement
     FROM claimed c JOIN status_subscribers s ON s.key = c.subscriber_key JOIN status_pages p ON p.key = s.page_key
     LEFT JOIN status_announcements a ON a.key = c.announcement_key LEFT JOIN status_notices n ON n.key = a.notice_key
     ORDER BY c.key`,
    { type, now: new Date(nowMs), exceptTeams, leaseUntil: new Date(leaseUntilMs), perTeam, rowsMax },
  );
}

/**
 * Removes a claimed delivery that is done or given up, and makes the next one of its subscriber due. Does nothing when another process has
 * claimed it since.
 */
export async function finishDelivery(
  db: Knex,
  { key, attempts }: ClaimedDelivery,
  nowMs: number,
): Promise<void> {
  await queryRows(
    db,
    `WITH gone AS (DELETE FROM status_deliveries WHERE key = :key AND attempts = :attempts RETURNING subscriber_key)
     UPDATE status_deliveries d SET due_at = least(d.due_at, :now) FROM gone g
     WHERE d.key = (SELECT n.key FROM status_deliveries n WHERE n.subscriber_key = g.subscriber_key AND n.key > :key
       ORDER BY n.key LIMIT 1)
     RETURNING d.key`,
    { key, attempts, now: new Date(nowMs) },
  );
}

/** Has a claimed delivery tried again at an instant, Unix ms. @param wasTried false: the attempt did not take place */
export async function postponeDelivery(
  db: Knex,
  { key, attempts }: ClaimedDelivery,
  { dueAtMs, wasTried, timeouts }: { dueAtMs: number; wasTried: boolean; timeouts: number },
): Promise<void> {
  await db("statusDeliveries")
    .where({ key, attempts })
    .update({ dueAt: new Date(dueAtMs), attempts: wasTried ? attempts : attempts - 1, timeouts });
}

/** Gives up deliveries that were made before an instant, Unix ms. Returns the team of each. */
export function purgeDeliveries(db: Knex, beforeMs: number, rowsMax: number): Promise<{ teamId: TeamId }[]> {
  return queryRows(
    db,
    `DELETE FROM status_deliveries WHERE key IN (
       SELECT key FROM status_deliveries WHERE created_at < :before ORDER BY created_at LIMIT :rowsMax) RETURNING team_id`,
    { before: new Date(beforeMs), rowsMax },
  );
}

/**
 * Has the mail sent by which a subscription is confirmed, unless one waits already. It goes before announcements.
 * @returns true when one is sent
 */
export async function insertConfirmation(
  trx: Knex,
  { teamId, subscriberKey, nowMs }: { teamId: TeamId; subscriberKey: number; nowMs: number },
): Promise<boolean> {
  if (await trx("statusDeliveries").where({ subscriberKey }).first("key")) return false;
  await trx("statusDeliveries").insert({
    teamId,
    subscriberKey,
    type: "email",
    createdAt: new Date(nowMs),
    dueAt: new Date(nowMs),
  });
  return true;
}
