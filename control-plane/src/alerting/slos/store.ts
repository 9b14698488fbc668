/** All SQL of SLOs. Every read by a caller goes through `ofTeam`, so another team's SLO does not exist. */
import { isId, type SlosQuery, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { SloModel, type SloRow } from "./row.ts";

function ofTeam(db: Knex, teamId: TeamId) {
  return SloModel.query(db)
    .leftJoin("checks", "checks.key", "slos.checkKey")
    .where("slos.teamId", teamId)
    .select("slos.*", "checks.id as checkId", "checks.name as checkName")
    .castTo<SloRow[]>();
}

/** Newest first. */
export async function listSloRows(
  db: Knex,
  teamId: TeamId,
  { checkId, sloType, limit, offset }: SlosQuery,
): Promise<SloRow[]> {
  const query = ofTeam(db, teamId).limit(limit).offset(offset);
  if (checkId !== undefined) void query.where("checks.id", checkId);
  if (sloType !== undefined) void query.where("slos.sloType", sloType);
  return query.orderBy("slos.createdAt", "desc").orderBy("slos.key", "desc");
}

export async function findSloRow(db: Knex, teamId: TeamId, id: string): Promise<SloRow | undefined> {
  if (!isId("slo", id)) return undefined;
  const [row] = await ofTeam(db, teamId).where("slos.id", id);
  return row;
}

/** The same, locked until the transaction ends: changes of one SLO happen one after another. */
export async function lockSloRow(trx: Knex, teamId: TeamId, id: string): Promise<SloRow | undefined> {
  if (!isId("slo", id)) return undefined;
  await SloModel.query(trx).where({ teamId, id }).forUpdate().select("key");
  return findSloRow(trx, teamId, id);
}

export async function insertSloRow(trx: Knex, row: Partial<SloModel>): Promise<void> {
  await SloModel.query(trx).insert(row);
}

export async function patchSloRow(trx: Knex, key: number, patch: Partial<SloModel>): Promise<void> {
  await SloModel.query(trx).findById(key).patch(patch);
}

export async function deleteSloRow(trx: Knex, key: number): Promise<void> {
  await SloModel.query(trx).deleteById(key);
}

/** The check's SLOs, locked until the transaction ends, oldest first. */
export async function lockSlosOfCheck(trx: Knex, checkKey: number): Promise<Pick<SloModel, "id" | "name">[]> {
  return SloModel.query(trx).where({ checkKey }).orderBy("key").forUpdate().select("id", "name");
}

/** Enabled SLOs of checks, of any team, with these ids: whoever asks compares the team. */
export async function findJudgedSlos(db: Knex, ids: readonly string[]): Promise<SloModel[]> {
  return SloModel.query(db).whereIn("id", ids).where({ enabled: true }).whereNotNull("checkKey");
}

/** The next enabled SLOs of checks, of all teams, by their keys; for the look at their burn rates. */
export async function nextJudgedSlos(db: Knex, afterKey: number, limit: number): Promise<WatchedSlo[]> {
  return SloModel.query(db)
    .where({ enabled: true })
    .whereNotNull("checkKey")
    .where("key", ">", afterKey)
    .orderBy("key")
    .limit(limit)
    .castTo<WatchedSlo[]>();
}

/** An SLO with the burn-rate thresholds that it is above. */
export interface WatchedSlo extends SloModel {
  burning: string[];
}

/** Notes which thresholds an SLO is above. @returns false when someone else noted otherwise since it was read */
export async function replaceBurning(
  trx: Knex,
  key: number,
  before: readonly string[],
  after: readonly string[],
): Promise<boolean> {
  const changed = await trx("slos")
    .where({ key })
    .whereRaw("burning = ?::text[]", [[...before]])
    .update({ burning: [...after] });
  return changed === 1;
}

/** An SLO that nobody looks at has nothing burning: it is told anew once it is looked at again. */
export async function forgetBurningOfUnjudged(db: Knex): Promise<void> {
  await db("slos").where({ enabled: false }).whereRaw("burning <> '{}'").update({ burning: [] });
}
