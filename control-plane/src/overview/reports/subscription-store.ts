/** SQL of who is sent reports, and of the months whose reports were sent. */
import type { ChannelId, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

/** Who is sent the reports of a team. `updatedAt` is ISO 8601. */
export interface SubscriptionRow {
  channelIds: ChannelId[];
  updatedAt: string;
}

/** Returns who is sent the team's reports; undefined: nobody. */
export async function findSubscription(db: Knex, teamId: TeamId): Promise<SubscriptionRow | undefined> {
  const [row] = await queryRows<SubscriptionRow>(
    db,
    "SELECT channel_ids, updated_at FROM report_subscriptions WHERE team_id = ?",
    [teamId],
  );
  return row;
}

/** Does the work of {@link findSubscription}, and lets one transaction at a time change it. */
export async function lockSubscription(trx: Knex, teamId: TeamId): Promise<SubscriptionRow | undefined> {
  await trx.raw("SELECT FROM teams WHERE id = ? FOR NO KEY UPDATE", [teamId]);
  return findSubscription(trx, teamId);
}

/** Stores who is sent the team's reports in place of what there may be; no channels: nobody. */
export async function storeSubscription(
  trx: Knex,
  teamId: TeamId,
  { channelIds, updatedAt }: SubscriptionRow,
): Promise<void> {
  if (channelIds.length === 0) {
    await trx("reportSubscriptions").where({ teamId }).delete();
    return;
  }
  await trx("reportSubscriptions").insert({ teamId, channelIds, updatedAt }).onConflict("teamId").merge();
}

/** Returns the names of those channels that are not of the type email. */
export async function namesOfOthersThanEmail(db: Knex, channelIds: readonly string[]): Promise<string[]> {
  const rows = await queryRows<{ name: string; type: string }>(
    db,
    "SELECT name, type FROM notification_channels WHERE id = ANY(?) AND type <> 'email' ORDER BY key",
    [[...channelIds]],
  );
  return rows.map(({ name, type }) => `${name} (${type})`);
}

/** A month whose last day was counted. */
export interface CountedMonth {
  month: string;
  /** Bit of its last day. */
  lastBit: number;
}

const IS_UNSENT = "month = :month AND sent_at IS NULL AND counted_days & :lastBit <> 0";

/** Returns teams that are sent a report of the month and were not, in the order of their ids. */
export async function readTeamsToSend(
  db: Knex,
  { month, lastBit }: CountedMonth,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<TeamId[]> {
  const rows = await queryRows<{ teamId: TeamId }>(
    db,
    `SELECT m.team_id FROM report_months m JOIN report_subscriptions s ON s.team_id = m.team_id
     WHERE ${IS_UNSENT} AND m.team_id > :afterId ORDER BY m.team_id LIMIT :limit`,
    { month, lastBit, afterId, limit },
  );
  return rows.map(({ teamId }) => teamId);
}

/** Marks the month as sent for all teams that send reports to nobody: who subscribes later is sent the next month. */
export async function passOverOthers(
  db: Knex,
  { month, lastBit }: CountedMonth,
  nowMs: number,
): Promise<void> {
  await db.raw(
    `UPDATE report_months m SET sent_at = :now
     WHERE ${IS_UNSENT} AND NOT EXISTS (SELECT FROM report_subscriptions s WHERE s.team_id = m.team_id)`,
    { month, lastBit, now: new Date(nowMs) },
  );
}

/** Marks the report of a month as sent. Returns false when it was: of several replicas one gets true. */
export async function claimReport(
  trx: Knex,
  teamId: TeamId,
  { month, nowMs }: { month: string; nowMs: number },
): Promise<boolean> {
  const claimed = await trx("reportMonths")
    .where({ teamId, month, sentAt: null })
    .update({ sentAt: new Date(nowMs) });
  return claimed === 1;
}
