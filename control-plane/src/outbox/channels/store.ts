/** All SQL of channels. Every read on behalf of a caller goes through `ofTeam`: another team's channel does not exist. */
import { type ChannelId, isId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { type BatchInput, sizedBatchSql } from "../../platform/db/sized-batch.ts";
import { OUTBOX_CHANNEL } from "../outbox.ts";
import { ChannelModel } from "./row.ts";

/** Reads the team's channels behind `after`, newest first; a few where they are large. */
export async function listChannelRows(
  db: Knex,
  teamId: TeamId,
  { after, rowsMax }: Omit<BatchInput, "teamId">,
): Promise<ChannelModel[]> {
  const { sql, bindings } = sizedBatchSql("notification_channels", { teamId, after, rowsMax });
  return ofTeam(db, teamId)
    .whereRaw(`key IN (${sql})`, bindings)
    .orderBy("createdAt", "desc")
    .orderBy("key", "desc");
}

/** Returns the team's channels with these ids, in no particular order; ids without a channel are left out. */
export async function findChannels(
  db: Knex,
  teamId: TeamId,
  ids: readonly string[],
): Promise<ChannelModel[]> {
  return ids.length === 0 ? [] : ofTeam(db, teamId).whereIn("id", ids);
}

/** Returns the team's channels with one of these names, up to `rowsMax`. */
export async function findChannelsNamed(
  db: Knex,
  teamId: TeamId,
  { names, rowsMax }: { names: readonly string[]; rowsMax: number },
): Promise<ChannelModel[]> {
  return ofTeam(db, teamId).whereIn("name", names).orderBy("key").limit(rowsMax);
}

/**
 * Returns the team's channels with these ids and keeps them from being deleted until the transaction ends, for a record
 * that begins to refer to them.
 */
export async function holdChannels(
  trx: Knex,
  teamId: TeamId,
  ids: readonly string[],
): Promise<ChannelModel[]> {
  return ids.length === 0 ? [] : ofTeam(trx, teamId).whereIn("id", ids).orderBy("key").forKeyShare();
}

/** Returns a channel; undefined when the id is unknown, another team's, or no channel's id at all. */
export async function findChannelRow(
  db: Knex,
  teamId: TeamId,
  id: ChannelId,
): Promise<ChannelModel | undefined> {
  return isId("channel", id) ? ofTeam(db, teamId).findOne({ id }) : undefined;
}

/** Returns the channel that a proof of the service's own names, whose team nobody has said; undefined when it was deleted. */
export async function findProvenChannel(db: Knex, id: ChannelId): Promise<ChannelModel | undefined> {
  return ChannelModel.query(db).findOne({ id });
}

/** Makes the channel's notifications that quiet hours hold due, and wakes the workers at the commit: they decide anew. */
export async function releaseHeldNotifications(trx: Knex, channelKey: number): Promise<void> {
  await trx.raw(
    `WITH released AS (
       UPDATE notifications SET due_at = clock_timestamp(), held_until = clock_timestamp()
       WHERE channel_key = ? AND status = 'pending' AND held_until > clock_timestamp() RETURNING 1)
     SELECT pg_notify(?, '') WHERE EXISTS (SELECT FROM released)`,
    [channelKey, OUTBOX_CHANNEL],
  );
}

/**
 * Returns a channel, locked until the transaction ends: nobody else changes it, deletes it or begins to refer to it.
 * Undefined as from {@link findChannelRow}.
 */
export async function lockChannelRow(
  trx: Knex,
  teamId: TeamId,
  id: ChannelId,
): Promise<ChannelModel | undefined> {
  return isId("channel", id) ? ofTeam(trx, teamId).findOne({ id }).forUpdate() : undefined;
}

/** Stores a channel and returns its row. */
export async function insertChannelRow(db: Knex, row: Partial<ChannelModel>): Promise<ChannelModel> {
  return ChannelModel.query(db).insert(row).returning("*");
}

/** Changes the given columns of a channel and returns its row. */
export async function patchChannelRow(
  db: Knex,
  key: number,
  patch: Partial<ChannelModel>,
): Promise<ChannelModel> {
  return ChannelModel.query(db).patchAndFetchById(key, patch);
}

/** Deletes a channel with its notifications and deliveries, and keeps its name for what was done in it. */
export async function deleteChannelRow(
  trx: Knex,
  { key, id, teamId, name }: Pick<ChannelModel, "key" | "id" | "teamId" | "name">,
): Promise<void> {
  await ChannelModel.query(trx).deleteById(key);
  const former = { id, teamId, name: `channel "${name}"` };
  await trx("formerActors").insert(former).onConflict("id").ignore();
}

function ofTeam(db: Knex, teamId: TeamId) {
  return ChannelModel.query(db).where({ teamId });
}
