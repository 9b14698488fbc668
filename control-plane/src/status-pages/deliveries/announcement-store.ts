/** SQL of announcements: an occasion of a notice for the subscribers of its page, and how far it is handed out to them. */
import { type NoticeUpdate, type StatusWebhookBody, type TeamId, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

/** Content for subscribers: a notice as it was at the occasion. Everything in it is on the page. */
export interface AnnouncementContent extends Pick<StatusWebhookBody, "eventType" | "occurredAt"> {
  notice: StatusWebhookBody["notice"];
  /** null: the announced start or end of maintenance came. */
  update: NoticeUpdate | null;
}

/** An announcement to store. */
export interface NewAnnouncement {
  pageKey: number;
  teamId: TeamId;
  noticeKey: number;
  /** Unique for the notice: a second announcement of an occasion is ignored. */
  occasion: string;
  content: AnnouncementContent;
}

/** Stores an announcement, once for each occasion of a notice. */
export async function insertAnnouncement(
  trx: Knex,
  { content, ...announcement }: NewAnnouncement,
): Promise<void> {
  await trx("statusAnnouncements")
    .insert({
      ...announcement,
      content: JSON.stringify(content),
      announcedAt: new Date(content.occurredAt),
    })
    .onConflict(["noticeKey", "occasion"])
    .ignore();
}

/** Returns the keys of announcements that are to be handed out: the oldest of each page, so that a subscriber gets them in order. */
export async function listAnnouncementsToHandOut(db: Knex, rowsMax: number): Promise<number[]> {
  const rows = await queryRows<{ key: number }>(
    db,
    `SELECT key FROM (
       SELECT DISTINCT ON (page_key) page_key, key FROM status_announcements WHERE NOT is_handed_out ORDER BY page_key, key) a
     ORDER BY key LIMIT :rowsMax`,
    { rowsMax },
  );
  return rows.map(({ key }) => key);
}

/**
 * Makes deliveries of an announcement for the next subscribers, those that were confirmed before it. Does nothing when another
 * process does so at this moment.
 * @param subscribersMax subscribers of one call
 */
export async function handOut(
  trx: Knex,
  key: number,
  { nowMs, subscribersMax }: { nowMs: number; subscribersMax: number },
): Promise<void> {
  await queryRows(
    trx,
    `WITH announcement AS (
       SELECT a.key, a.team_id, a.page_key, a.handed_out_to, a.announced_at FROM status_announcements a
       WHERE a.key = :key AND NOT a.is_handed_out FOR UPDATE SKIP LOCKED
     ), next AS (
       SELECT s.key, s.type FROM announcement a
       JOIN status_pages p ON p.key = a.page_key AND p.is_published
       JOIN status_subscribers s ON s.page_key = a.page_key AND s.key > a.handed_out_to
       WHERE s.confirmed_at <= a.announced_at AND (s.type <> 'email' OR p.has_mail_subscriptions)
       ORDER BY s.key LIMIT :subscribersMax
     ), made AS (
       INSERT INTO status_deliveries (team_id, subscriber_key, announcement_key, type, created_at, due_at)
       SELECT a.team_id, n.key, a.key, n.type, :now, :now FROM next n CROSS JOIN announcement a ORDER BY n.key
       ON CONFLICT DO NOTHING
     )
     UPDATE status_announcements u SET handed_out_to = coalesce((SELECT max(key) FROM next), u.handed_out_to),
       is_handed_out = (SELECT count(*) FROM next) < :subscribersMax
     FROM announcement a WHERE u.key = a.key RETURNING u.key`,
    { key, subscribersMax, now: new Date(nowMs) },
  );
}

/**
 * Announces that the announced start or end of maintenance has come, where no update says so. Concerns pages that have
 * subscribers, and were published before; an instant that was set after it had passed is not announced. An occasion is announced once, however often this is called.
 * @param sinceMs instants before are not announced any more, Unix ms
 */
export async function announceInstants(
  db: Knex,
  { nowMs, sinceMs }: { nowMs: number; sinceMs: number },
): Promise<void> {
  for (const { column, event, condition } of INSTANTS)
    await queryRows(
      db,
      `INSERT INTO status_announcements (page_key, team_id, notice_key, occasion, content, announced_at)
       SELECT n.page_key, n.team_id, n.key,
         '${event}:' || (extract(epoch FROM n.${column}) * 1000)::bigint,
         jsonb_build_object('eventType', 'notice.${event}', 'occurredAt', ${isoSql(`n.${column}`)}, 'update', NULL,
           'notice', jsonb_build_object('id', n.id, 'kind', n.kind, 'title', n.title, 'impact', n.impact,
             'components', to_jsonb(n.components), 'startsAt', ${isoSql("n.starts_at")}, 'endsAt', ${isoSql("n.ends_at")})),
         n.${column}
       FROM status_pages p JOIN status_notices n ON n.page_key = p.key
       WHERE p.is_published AND n.kind = 'maintenance' AND n.${column} > :since AND n.${column} <= :now
         AND greatest(n.created_at, n.times_set_at, p.published_at) < n.${column} AND ${condition}
         AND EXISTS (SELECT FROM status_subscribers s WHERE s.page_key = p.key AND s.confirmed_at IS NOT NULL)
       ON CONFLICT DO NOTHING RETURNING key`,
      { now: new Date(nowMs), since: new Date(sinceMs) },
    );
}

const STATUS_OF_NEWEST = "n.updates -> -1 ->> 'status'";
const INSTANTS = [
  {
    column: "starts_at",
    event: "began",
    condition: `n.ends_at > :now AND ${STATUS_OF_NEWEST} = 'scheduled'`,
  },
  { column: "ends_at", event: "ended", condition: `${STATUS_OF_NEWEST} <> 'completed'` },
] as const;

function isoSql(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** Deletes announcements of before an instant, Unix ms, with the deliveries that are left of them. */
export async function purgeAnnouncements(db: Knex, beforeMs: number, rowsMax: number): Promise<number> {
  const rows = await queryRows(
    db,
    `DELETE FROM status_announcements WHERE key IN (
       SELECT key FROM status_announcements WHERE announced_at < :before ORDER BY announced_at LIMIT :rowsMax) RETURNING key`,
    { before: new Date(wholeMs(beforeMs)), rowsMax },
  );
  return rows.length;
}
