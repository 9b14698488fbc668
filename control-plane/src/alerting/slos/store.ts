/** SQL of SLOs. Every read for a caller goes through `ofTeam`, so another team's SLO does not exist. */
import { isId, type SloId, type SlosQuery, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { ListPart } from "../../platform/http/record-list.ts";
import { SloModel, type SloRow } from "./row.ts";

function ofTeam(db: Knex, teamId: TeamId) {
  return SloModel.query(db)
    .leftJoin("checks", "checks.key", "slos.checkKey")
    .leftJoin("thirdPartyPatterns as p", "p.id", "slos.patternId")
    .where("slos.teamId", teamId)
    .select("slos.*", "checks.id as checkId", "checks.name as checkName", "p.key as patternKey")
    .castTo<SloRow[]>();
}

/** Returns a part of the list of the team's SLOs, newest first. */
export async function listSloRows(
  db: Knex,
  teamId: TeamId,
  { checkId, sloType, after, rowsMax, offset }: Pick<SlosQuery, "checkId" | "sloType"> & ListPart,
): Promise<SloRow[]> {
  const query = ofTeam(db, teamId).limit(rowsMax).offset(offset);
  if (after) void query.whereRaw("(slos.created_at, slos.key) < (CAST(? AS timestamptz), ?)", [...after]);
  if (checkId !== undefined) void query.where("checks.id", checkId);
  if (sloType !== undefined) void query.where("slos.sloType", sloType);
  return query.orderBy("slos.createdAt", "desc").orderBy("slos.key", "desc");
}

/** Returns the SLOs of these checks, oldest first. */
export async function listSloRowsOfChecks(
  db: Knex,
  teamId: TeamId,
  checkKeys: readonly number[],
): Promise<SloRow[]> {
  return ofTeam(db, teamId).whereIn("slos.checkKey", checkKeys).orderBy("slos.key");
}

/** Returns an SLO of the team; undefined when the team has none with this id. */
export async function findSloRow(db: Knex, teamId: TeamId, id: SloId): Promise<SloRow | undefined> {
  if (!isId("slo", id)) return undefined;
  const [row] = await ofTeam(db, teamId).where("slos.id", id);
  return row;
}

/** Does the work of {@link findSloRow} and locks the row until the transaction ends: changes happen one after another. */
export async function lockSloRow(trx: Knex, teamId: TeamId, id: SloId): Promise<SloRow | undefined> {
  if (!isId("slo", id)) return undefined;
  await SloModel.query(trx).where({ teamId, id }).forUpdate().select("key");
  return findSloRow(trx, teamId, id);
}

/** Stores a new SLO. */
export async function insertSloRow(trx: Knex, row: Partial<SloModel>): Promise<void> {
  await SloModel.query(trx).insert(row);
}

/** Updates the given columns of an SLO. */
export async function patchSloRow(trx: Knex, key: number, patch: Partial<SloModel>): Promise<void> {
  await SloModel.query(trx).findById(key).patch(patch);
}

/** Deletes an SLO. */
export async function deleteSloRow(trx: Knex, key: number): Promise<void> {
  await SloModel.query(trx).deleteById(key);
}

/** Locks the check's SLOs until the transaction ends and returns them, oldest first. */
export async function lockSlosOfCheck(trx: Knex, checkKey: number): Promise<Pick<SloModel, "id" | "name">[]> {
  return SloModel.query(trx).where({ checkKey }).orderBy("key").forUpdate().select("id", "name");
}

/** An SLO that is enabled, so that its burn rates count, with the key of its pattern. */
export interface ActiveSlo extends SloModel {
  /** null: the SLO is about a check. */
  patternKey: number | null;
}

/** Returns the query for the active SLOs of all teams. */
export function activeSlos(db: Knex) {
  return SloModel.query(db)
    .leftJoin("thirdPartyPatterns as p", "p.id", "slos.patternId")
    .where("slos.enabled", true)
    .select("slos.*", "p.key as patternKey");
}

/** Returns those of the SLOs that are active. They may be of any team: the caller compares it. */
export async function findActiveSlos(db: Knex, ids: readonly SloId[]): Promise<ActiveSlo[]> {
  return activeSlos(db).whereIn("slos.id", ids).castTo<ActiveSlo[]>();
}
