import { type CheckId, notFound, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { CheckModel } from "./row.ts";
import { findCheckRow } from "./store.ts";

/**
 * Returns a check's row.
 * @throws DomainError `not_found` when the id is unknown, another team's, or no check's id at all
 */
export async function getCheckRow(db: Knex, teamId: TeamId, id: CheckId): Promise<CheckModel> {
  const row = await findCheckRow(db, teamId, id);
  if (!row) throw notFound("Check");
  return row;
}
