/** SQL of notices of status pages. Every read names the page, whose team the caller has looked at. */
import {
  isId,
  type NoticeImpact,
  type NoticeKind,
  type NoticeUpdate,
  type StatusNoticeId,
  type StatusPageId,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { Cursor } from "../../platform/http/list-answer.ts";

/** Names a notice of a page. */
export interface NoticeKey {
  id: StatusPageId;
  noticeId: StatusNoticeId;
}

/** A notice as its verbs read it. */
export interface NoticeRow {
  key: number;
  id: StatusNoticeId;
  kind: NoticeKind;
  title: string;
  impact: NoticeImpact | null;
  components: string[];
  startsAt: string;
  endsAt: string | null;
  /** The oldest first. */
  updates: NoticeUpdate[];
  createdAt: string;
  updatedAt: string | null;
}

const COLUMNS = `n.key, n.id, n.kind, n.title, n.impact, n.components, n.starts_at, n.ends_at, n.updates, n.created_at, n.updated_at`;

/** Returns a part of the list of a page's notices, newest first. */
export function listNoticeRows(
  db: Knex,
  pageKey: number,
  { after, rowsMax }: { after: Cursor | undefined; rowsMax: number },
): Promise<NoticeRow[]> {
  const [createdAt, key] = after ?? [];
  return queryRows(
    db,
    `SELECT ${COLUMNS} FROM status_notices n WHERE n.page_key = :pageKey
       ${after ? "AND (n.created_at, n.key) < (CAST(:createdAt AS timestamptz), CAST(:key AS bigint))" : ""}
     ORDER BY n.created_at DESC, n.key DESC LIMIT :rowsMax`,
    { pageKey, rowsMax, ...(after && { createdAt, key }) },
  );
}

/** Returns a part of the list of all notices of the team with the ids of their pages, newest first. */
export function listNoticeRowsOfTeam(
  db: Knex,
  teamId: TeamId,
  { after, rowsMax }: { after: Cursor | undefined; rowsMax: number },
): Promise<(NoticeRow & { pageId: StatusPageId })[]> {
  const [key] = after ?? [];
  return queryRows(
    db,
    `SELECT ${COLUMNS}, p.id AS page_id FROM status_notices n JOIN status_pages p ON p.key = n.page_key
     WHERE n.team_id = :teamId ${after ? "AND n.key < CAST(:key AS bigint)" : ""}
     ORDER BY n.key DESC LIMIT :rowsMax`,
    { teamId, rowsMax, ...(after && { key }) },
  );
}

/** A notice of a page with the updates that are shown of it. */
export interface ShownNoticeRow extends NoticeRow {
  /** Updates that it has, shown or not. */
  updateCount: number;
}

/** Bounds of the notices that are shown. Instants: Unix ms. */
export interface ShownNotices {
  endedAfterMs: number;
  nowMs: number;
  rowsMax: number;
  /** Characters of the texts of all updates together. */
  charactersMax: number;
}

/**
 * Returns notices of a page that have not ended before an instant, the latest first. When there are too many, those that are active at
 * `nowMs` are kept before others. When their texts are too long, the newest updates are kept, and before them the newest one of each
 * active notice.
 */
export function readShownNotices(
  db: Knex,
  pageKey: number,
  { endedAfterMs, nowMs, rowsMax, charactersMax }: ShownNotices,
): Promise<ShownNoticeRow[]> {
  return queryRows(
    db,
    `WITH shown AS (
       SELECT ${COLUMNS}, jsonb_array_length(n.updates) AS update_count,
         n.starts_at <= :now AND (n.ends_at IS NULL OR n.ends_at > :now) AS is_active
       FROM status_notices n WHERE n.page_key = :pageKey AND (n.ends_at IS NULL OR n.ends_at > :endedAfter)
       ORDER BY is_active DESC, n.starts_at DESC, n.key DESC LIMIT :rowsMax),
     summed AS (
       SELECT s.key, u.one, u.nth, sum(length(u.one ->> 'text')) OVER (
         ORDER BY s.is_active AND u.nth = s.update_count DESC, u.one ->> 'at' DESC, s.key DESC, u.nth DESC) AS characters
       FROM shown s CROSS JOIN LATERAL jsonb_array_elements(s.updates) WITH ORDINALITY u (one, nth)),
     kept AS (
       SELECT key, jsonb_agg(one ORDER BY nth) AS updates FROM summed WHERE characters <= :charactersMax GROUP BY key)
     SELECT n.key, n.id, n.kind, n.title, n.impact, n.components, n.starts_at, n.ends_at, n.created_at, n.updated_at,
       n.update_count, coalesce(k.updates, '[]') AS updates
     FROM shown n LEFT JOIN kept k ON k.key = n.key
     ORDER BY n.starts_at DESC, n.key DESC`,
    { pageKey, endedAfter: new Date(endedAfterMs), now: new Date(nowMs), rowsMax, charactersMax },
  );
}

/** Returns a notice of a page; undefined when the page has none with this id. */
export async function findNoticeRow(
  db: Knex,
  pageKey: number,
  id: StatusNoticeId,
): Promise<NoticeRow | undefined> {
  if (!isId("statusNotice", id)) return undefined;
  const [row] = await queryRows<NoticeRow>(
    db,
    `SELECT ${COLUMNS} FROM status_notices n WHERE n.page_key = :pageKey AND n.id = :id`,
    { pageKey, id },
  );
  return row;
}

/** Columns of a notice that its verbs write. Instants: Unix ms. */
export interface NoticeValues {
  title: string;
  impact: NoticeImpact | null;
  components: readonly string[];
  startsAtMs: number;
  endsAtMs: number | null;
  /** The oldest first. */
  updates: readonly NoticeUpdate[];
}

function columnsOf({ startsAtMs, endsAtMs, updates, components, ...values }: NoticeValues) {
  return {
    ...values,
    components: [...components],
    startsAt: new Date(startsAtMs),
    endsAt: endsAtMs === null ? null : new Date(endsAtMs),
    updates: JSON.stringify(updates),
  };
}

/** A new notice with its page and team. `createdAtMs`: Unix ms. */
export interface NewNotice extends NoticeValues {
  id: StatusNoticeId;
  pageKey: number;
  teamId: TeamId;
  kind: NoticeKind;
  createdAtMs: number;
}

/** Stores a notice, and returns its key. */
export async function insertNotice(
  trx: Knex,
  { id, pageKey, teamId, kind, createdAtMs, ...values }: NewNotice,
): Promise<number> {
  const [row] = await trx("statusNotices")
    .insert({ id, pageKey, teamId, kind, createdAt: new Date(createdAtMs), ...columnsOf(values) })
    .returning("key");
  return row.key;
}

/** Updates the columns of a notice. */
export async function patchNotice(
  trx: Knex,
  key: number,
  { updatedAtMs, ...values }: NoticeValues & { updatedAtMs: number },
): Promise<void> {
  const updatedAt = new Date(updatedAtMs);
  const columns = columnsOf(values);
  const { startsAt, endsAt } = columns;
  await trx("statusNotices")
    .where({ key })
    .whereRaw("(starts_at, ends_at) IS DISTINCT FROM (?::timestamptz, ?::timestamptz)", [startsAt, endsAt])
    .update({ timesSetAt: updatedAt });
  await trx("statusNotices")
    .where({ key })
    .update({ ...columns, updatedAt });
}

/** Deletes a notice. */
export async function deleteNoticeRow(trx: Knex, key: number): Promise<void> {
  await trx("statusNotices").where({ key }).delete();
}
