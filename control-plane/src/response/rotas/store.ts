/** All SQL of rotas. Every read for a caller names the team, so another team's does not exist. */
import { isId, type RotaId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { Cursor } from "../../platform/http/list-answer.ts";
import { RotaModel } from "./row.ts";

function ofTeam(db: Knex, teamId: TeamId) {
  return RotaModel.query(db).where({ teamId });
}

/** Returns a part of the list of the team's rotas, newest first. */
export async function listRotaRows(
  db: Knex,
  teamId: TeamId,
  { after, rowsMax }: { after: Cursor | undefined; rowsMax: number },
): Promise<RotaModel[]> {
  const query = ofTeam(db, teamId).limit(rowsMax);
  if (after) void query.whereRaw("(created_at, key) < (CAST(? AS timestamptz), ?)", [...after]);
  return query.orderBy("createdAt", "desc").orderBy("key", "desc");
}

/** Returns a rota of the team; undefined when the team has none with this id. */
export async function findRotaRow(db: Knex, teamId: TeamId, id: RotaId): Promise<RotaModel | undefined> {
  return isId("rota", id) ? ofTeam(db, teamId).findOne({ id }) : undefined;
}

/** Returns a rota of the team and locks its row until the transaction ends; undefined when the team has none with this id. */
export async function lockRotaRow(trx: Knex, teamId: TeamId, id: RotaId): Promise<RotaModel | undefined> {
  return isId("rota", id) ? ofTeam(trx, teamId).findOne({ id }).forUpdate() : undefined;
}

/** Returns those of the rotas that the team has, and keeps them from being deleted until the transaction ends. */
export async function holdRotas(trx: Knex, teamId: TeamId, ids: readonly string[]): Promise<RotaId[]> {
  if (ids.length === 0) return [];
  const rows = await ofTeam(trx, teamId)
    .whereIn("id", [...ids])
    .orderBy("key")
    .forKeyShare();
  return rows.map(({ id }) => id);
}

/** Stores a new rota. */
export async function insertRotaRow(trx: Knex, row: Partial<RotaModel>): Promise<RotaModel> {
  return RotaModel.query(trx).insert(row).returning("*");
}

/** Updates columns of a rota. */
export async function patchRotaRow(trx: Knex, key: number, patch: Partial<RotaModel>): Promise<RotaModel> {
  return RotaModel.query(trx).patchAndFetchById(key, patch);
}

/** Deletes a rota. */
export async function deleteRotaRow(trx: Knex, key: number): Promise<void> {
  await RotaModel.query(trx).deleteById(key);
}

/** True when a step of the team's incident policy names the rota. */
export async function isNamedByPolicy(trx: Knex, teamId: TeamId, id: RotaId): Promise<boolean> {
  const rows = await queryRows(
    trx,
    `SELECT FROM incident_policies p WHERE p.team_id = :teamId
     AND EXISTS (SELECT FROM jsonb_array_elements(p.steps) step WHERE step ->> 'rotaId' = :id)`,
    { teamId, id },
  );
  return rows.length > 0;
}
