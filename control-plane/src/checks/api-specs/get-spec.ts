import { notFound, type Spec, type SpecId } from "@svc/contract";
import type { SpecOperation } from "@svc/openapi";
import type { TeamContext } from "../../platform/team-context.ts";
import { specFromRow } from "./row.ts";
import { findSpecRow, readOperations } from "./store.ts";

/**
 * Returns a spec with its operations, in the document's order.
 * @throws DomainError `not_found`
 */
export async function getSpec(
  { services, teamId }: TeamContext,
  { id }: { id: SpecId },
): Promise<{ spec: Spec; operations: SpecOperation[] }> {
  const row = await findSpecRow(services.knex, teamId, id);
  if (!row) throw notFound("Spec");
  return { spec: specFromRow(row), operations: await readOperations(services.knex, id) };
}
