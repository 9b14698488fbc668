/** SQL of subscribers, and of the requests to become one. Reads for a caller name a page whose team the caller has looked at. */
import { isId, type StatusSubscriberId, type StatusSubscriberType, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { ADVISORY_LOCK_CLASSES } from "../../platform/db/advisory-locks.ts";
import { queryRows } from "../../platform/db/rows.ts";
import type { Cursor } from "../../platform/http/list-answer.ts";

/** A subscriber as its verbs read it. */
export interface SubscriberRow {
  key: number;
  id: StatusSubscriberId;
  type: StatusSubscriberType;
  /** null: a webhook. */
  address: string | null;
  /** URL and secret of a webhook. */
  endpointSealed: Buffer | null;
  createdAt: string;
  confirmedAt: string | null;
}

const COLUMNS = "s.key, s.id, s.type, s.address, s.endpoint_sealed, s.created_at, s.confirmed_at";
const IS_THERE = "(s.unconfirmed_until IS NULL OR s.unconfirmed_until > :now)";

/** Returns a part of the list of subscribers, newest first: those of one page, or of all pages of the team, with the page's id. */
export function listSubscriberRows<Row = SubscriberRow>(
  db: Knex,
  of: { pageKey: number } | { teamId: TeamId },
  { after, rowsMax, nowMs }: { after: Cursor | undefined; rowsMax: number; nowMs: number },
): Promise<Row[]> {
  const [key] = after ?? [];
  return queryRows(
    db,
    `SELECT ${COLUMNS}, p.id AS page_id FROM status_subscribers s JOIN status_pages p ON p.key = s.page_key
     WHERE ${"pageKey" in of ? "s.page_key = :pageKey" : "s.team_id = :teamId"} AND ${IS_THERE}
       ${after ? "AND s.key < CAST(:key AS bigint)" : ""}
     ORDER BY s.key DESC LIMIT :rowsMax`,
    { ...of, rowsMax, now: new Date(nowMs), ...(after && { key }) },
  );
}

/** Locks a page's row: the subscribers of a page are added one after another, so that their limit holds. */
export async function lockSubscribers(trx: Knex, pageKey: number): Promise<void> {
  await trx("statusPages").where({ key: pageKey }).forNoKeyUpdate().first("key");
}

/** Counts the confirmed subscribers of a page, or those of one type. */
export async function countSubscribers(
  db: Knex,
  pageKey: number,
  type?: StatusSubscriberType,
): Promise<number> {
  const row = await db("statusSubscribers")
    .where({ pageKey, ...(type && { type }) })
    .whereNotNull("confirmedAt")
    .count({ count: "*" })
    .first();
  return Number(row?.count ?? 0);
}

/** Returns the sealed endpoints of a page's webhooks; a limit keeps them few. */
export async function readEndpoints(
  db: Knex,
  pageKey: number,
): Promise<{ id: StatusSubscriberId; endpointSealed: Buffer }[]> {
  return db("statusSubscribers").where({ pageKey, type: "webhook" }).select("id", "endpointSealed");
}

/** Stores a webhook. */
export async function insertWebhook(
  trx: Knex,
  row: {
    id: StatusSubscriberId;
    pageKey: number;
    teamId: TeamId;
    endpointSealed: Buffer;
    createdAt: Date;
  },
): Promise<void> {
  await trx("statusSubscribers").insert({ ...row, type: "webhook", confirmedAt: row.createdAt });
}

/**
 * Stores a mail address that is not confirmed yet, or lets one that is there wait for longer.
 * @returns the key of the subscriber; undefined when it is confirmed already
 */
export async function holdAddress(
  trx: Knex,
  row: {
    id: StatusSubscriberId;
    pageKey: number;
    teamId: TeamId;
    address: string;
    /** Key of its links; that of an address that is there already stays. */
    linkKey: Buffer;
    createdAt: Date;
    unconfirmedUntil: Date;
  },
): Promise<number | undefined> {
  const [held] = await queryRows<{ key: number }>(
    trx,
    `INSERT INTO status_subscribers AS s (id, page_key, team_id, type, address, link_key, created_at, unconfirmed_until)
     VALUES (:id, :pageKey, :teamId, 'email', :address, :linkKey, :createdAt, :unconfirmedUntil)
     ON CONFLICT (page_key, address) DO UPDATE SET unconfirmed_until = excluded.unconfirmed_until
     WHERE s.confirmed_at IS NULL RETURNING s.key`,
    row,
  );
  return held?.key;
}

/** A subscriber as the page of a link shows it. */
export interface LinkedSubscriber {
  key: number;
  id: StatusSubscriberId;
  /** null: a webhook, to which no link leads. */
  linkKey: Buffer | null;
  isConfirmed: boolean;
  pageKey: number;
  slug: string;
  title: string;
  isPublished: boolean;
  hasMailSubscriptions: boolean;
}

/** Returns a subscriber by its id, of whichever team; undefined when it is gone or was not confirmed in time. */
export async function findLinkedSubscriber(
  db: Knex,
  id: StatusSubscriberId,
  nowMs: number,
): Promise<LinkedSubscriber | undefined> {
  const [row] = await queryRows<LinkedSubscriber>(
    db,
    `SELECT s.key, s.id, s.link_key, s.confirmed_at IS NOT NULL AS is_confirmed, s.page_key, p.slug, p.title, p.is_published,
       p.has_mail_subscriptions
     FROM status_subscribers s JOIN status_pages p ON p.key = s.page_key WHERE s.id = :id AND ${IS_THERE}`,
    { id, now: new Date(nowMs) },
  );
  return row;
}

/** Confirms a subscriber. */
export async function confirmSubscriberRow(trx: Knex, key: number, nowMs: number): Promise<void> {
  await trx("statusSubscribers")
    .where({ key, confirmedAt: null })
    .update({ confirmedAt: new Date(nowMs), unconfirmedUntil: null });
}

/** Deletes a subscriber with what is on its way to it. @returns false when there is none, or not on the page */
export async function deleteSubscriberRow(
  db: Knex,
  { id, ...of }: { id: StatusSubscriberId; pageKey?: number },
): Promise<boolean> {
  if (!isId("statusSubscriber", id)) return false;
  return (
    (await db("statusSubscribers")
      .where({ id, ...of })
      .delete()) > 0
  );
}

/** Deletes subscribers that were not confirmed in time, and requests that count no more. Returns how many rows of the larger kind. */
export async function purgeUnconfirmed(
  db: Knex,
  { nowMs, requestsBeforeMs, rowsMax }: { nowMs: number; requestsBeforeMs: number; rowsMax: number },
): Promise<number> {
  const subscribers = await queryRows(
    db,
    `DELETE FROM status_subscribers WHERE key IN (
       SELECT key FROM status_subscribers WHERE unconfirmed_until <= :now ORDER BY unconfirmed_until LIMIT :rowsMax) RETURNING key`,
    { now: new Date(nowMs), rowsMax },
  );
  const requests = await queryRows(
    db,
    `DELETE FROM status_subscription_requests WHERE key IN (
       SELECT key FROM status_subscription_requests WHERE requested_at <= :before ORDER BY requested_at LIMIT :rowsMax) RETURNING key`,
    { before: new Date(requestsBeforeMs), rowsMax },
  );
  return Math.max(subscribers.length, requests.length);
}

/** Requests in an hour, and mails to an address in a day. */
export interface RequestCounts {
  ofPage: number;
  ofTeam: number;
  /** Those that sent a mail, over all teams. */
  mailedOfAll: number;
  mailedToAddress: number;
}

/** A request to subscribe. */
export interface SubscriptionRequest {
  teamId: TeamId;
  pageKey: number;
  addressHash: Buffer;
}

/** Counts requests since two instants, Unix ms. Requests to subscribe follow one another until the transaction ends. */
export async function countRequests(
  trx: Knex,
  { teamId, pageKey, addressHash }: SubscriptionRequest,
  { hourAgoMs, dayAgoMs }: { hourAgoMs: number; dayAgoMs: number },
): Promise<RequestCounts> {
  await trx.raw("SELECT pg_advisory_xact_lock(?, 0)", [ADVISORY_LOCK_CLASSES.statusSubscription]);
  const [row] = await queryRows<RequestCounts>(
    trx,
    `SELECT (SELECT count(*)::integer FROM status_subscription_requests
             WHERE page_key = :pageKey AND requested_at > :hourAgo) AS of_page,
       (SELECT count(*)::integer FROM status_subscription_requests
        WHERE team_id = :teamId AND requested_at > :hourAgo) AS of_team,
       (SELECT count(*)::integer FROM status_subscription_requests
        WHERE is_mailed AND requested_at > :hourAgo) AS mailed_of_all,
       (SELECT count(*)::integer FROM status_subscription_requests
        WHERE is_mailed AND address_hash = :addressHash AND requested_at > :dayAgo) AS mailed_to_address`,
    { teamId, pageKey, addressHash, hourAgo: new Date(hourAgoMs), dayAgo: new Date(dayAgoMs) },
  );
  return row ?? { ofPage: 0, ofTeam: 0, mailedOfAll: 0, mailedToAddress: 0 };
}

/** Stores that somebody asked for an address. */
export async function insertRequest(
  trx: Knex,
  row: SubscriptionRequest & { isMailed: boolean; requestedAt: Date },
): Promise<void> {
  await trx("statusSubscriptionRequests").insert(row);
}
