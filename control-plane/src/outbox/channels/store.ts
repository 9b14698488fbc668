/** All SQL of channels. Every read by a caller goes through `ofTeam`, so another team's channel does not exist. */
import { isId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { ChannelModel } from "./row.ts";

function ofTeam(db: Knex, teamId: TeamId) {
  return ChannelModel.query(db).where({ teamId });
}

/** Newest first. */
export async function listChannelRows(db: Knex, teamId: TeamId): Promise<ChannelModel[]> {
  return ofTeam(db, teamId).orderBy("createdAt", "desc").orderBy("key", "desc");
}

/** The team's channels with these ids, in no particular order; those that are not there are missing. */
export async function findChannels(
  db: Knex,
  teamId: TeamId,
  ids: readonly string[],
): Promise<ChannelModel[]> {
  return ids.length === 0 ? [] : ofTeam(db, teamId).whereIn("id", ids);
}

/** The same, kept from being deleted until the transaction ends: for what begins to refer to them. */
export async function holdChannels(
  trx: Knex,
  teamId: TeamId,
  ids: readonly string[],
): Promise<ChannelModel[]> {
  return ids.length === 0 ? [] : ofTeam(trx, teamId).whereIn("id", ids).orderBy("key").forKeyShare();
}

export async function findChannelRow(
  db: Knex,
  teamId: TeamId,
  id: string,
): Promise<ChannelModel | undefined> {
  return isId("channel", id) ? ofTeam(db, teamId).findOne({ id }) : undefined;
}

/** The same, locked until the transaction ends: nobody else changes it, deletes it or begins to refer to it. */
export async function lockChannelRow(
  trx: Knex,
  teamId: TeamId,
  id: string,
): Promise<ChannelModel | undefined> {
  return isId("channel", id) ? ofTeam(trx, teamId).findOne({ id }).forUpdate() : undefined;
}

export async function insertChannelRow(db: Knex, row: Partial<ChannelModel>): Promise<ChannelModel> {
  return ChannelModel.query(db).insert(row).returning("*");
}

export async function patchChannelRow(
  db: Knex,
  key: number,
  patch: Partial<ChannelModel>,
): Promise<ChannelModel> {
  return ChannelModel.query(db).patchAndFetchById(key, patch);
}

/** Deletes the channel with what is still to be said to it and what was. */
export async function deleteChannelRow(trx: Knex, key: number): Promise<void> {
  await ChannelModel.query(trx).deleteById(key);
}
