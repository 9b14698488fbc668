import { DomainError, notFound } from "@svc/contract";
import type { Services } from "../services.ts";
import { deleteSpecRow, findCheckUsingSpec, lockSpecRow } from "./store.ts";

/** @throws DomainError not_found (also the second time), conflict while an assertion uses it */
export async function deleteSpec({ knex }: Services, teamId: string, id: string): Promise<void> {
  await knex.transaction(async (trx) => {
    const row = await lockSpecRow(trx, teamId, id);
    if (!row) throw notFound("Spec");
    const user = await findCheckUsingSpec(trx, teamId, id);
    if (user !== undefined)
      throw new DomainError("conflict", `Spec ${row.name} is used by an assertion of the check "${user}"`);
    await deleteSpecRow(trx, id);
  });
}
