import { notFound, type Spec, type TeamId } from "@svc/contract";
import type { SpecOperation } from "@svc/openapi";
import type { Services } from "../../platform/services.ts";
import { specFromRow } from "./row.ts";
import { findSpecRow, listSpecRows, readOperations } from "./store.ts";

/** The team's specs, newest first. */
export async function listSpecs({ knex }: Services, teamId: TeamId): Promise<Spec[]> {
  return (await listSpecRows(knex, teamId)).map(specFromRow);
}

/** A spec with its operations, in the document's order. @throws DomainError not_found */
export async function getSpec(
  { knex }: Services,
  teamId: TeamId,
  id: string,
): Promise<{ spec: Spec; operations: SpecOperation[] }> {
  const row = await findSpecRow(knex, teamId, id);
  if (!row) throw notFound("Spec");
  return { spec: specFromRow(row), operations: await readOperations(knex, id) };
}
