import { notFound, type Spec, type SpecId } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { specFromRow } from "./row.ts";
import { findSpecRow, readOperationsText } from "./store.ts";

/** A spec with its operations as JSON, which may be megabytes: nobody here looks into them. */
interface SpecWithOperations {
  spec: Spec;
  /** In the document's order. */
  operationsText: string;
}

/**
 * Returns a spec with its operations.
 * @throws DomainError `not_found`
 */
export async function getSpec(
  { services, teamId }: TeamContext,
  { id }: { id: SpecId },
): Promise<SpecWithOperations> {
  const row = await findSpecRow(services.knex, teamId, id);
  if (!row) throw notFound("Spec");
  return {
    spec: specFromRow(services.secrets, row),
    operationsText: await readOperationsText(services.knex, id),
  };
}
