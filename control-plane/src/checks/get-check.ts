import { type Check, notFound } from "@svc/contract";
import type { Knex } from "knex";
import type { Services } from "../platform/services.ts";
import { type CheckModel, checkFromRow } from "./row.ts";
import { findCheckRow, listCheckRows } from "./store.ts";

/** The team's checks, newest first. */
export async function listChecks({ knex, secrets }: Services, teamId: string): Promise<Check[]> {
  return (await listCheckRows(knex, teamId)).map((row) => checkFromRow(secrets, row));
}

/** @throws DomainError not_found (unknown, another team's, or not a check's id at all) */
export async function getCheckRow(db: Knex, teamId: string, id: string): Promise<CheckModel> {
  const row = await findCheckRow(db, teamId, id);
  if (!row) throw notFound("Check");
  return row;
}
