import { notFound, type Slo, type SlosQuery, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { sloFromRow } from "./row.ts";
import { findSloRow, listSloRows } from "./store.ts";

/** The team's SLOs, newest first. */
export async function listSlos(db: Knex, teamId: TeamId, query: SlosQuery): Promise<Slo[]> {
  return (await listSloRows(db, teamId, query)).map(sloFromRow);
}

/** @throws DomainError not_found (unknown, another team's, or not an SLO's id at all) */
export async function getSlo(db: Knex, teamId: TeamId, id: string): Promise<Slo> {
  const row = await findSloRow(db, teamId, id);
  if (!row) throw notFound("SLO");
  return sloFromRow(row);
}
