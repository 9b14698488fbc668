import { notFound } from "@svc/contract";
import { notifyChange } from "../scheduling/change-listener.ts";
import type { Services } from "../services.ts";
import { deleteCheckRow, lockCheckRow } from "./store.ts";

/** Deletes a check: it is gone at once, its results follow in the background. @throws DomainError not_found (also the second time) */
export async function deleteCheck({ knex }: Services, teamId: string, id: string): Promise<void> {
  await knex.transaction(async (trx) => {
    const row = await lockCheckRow(trx, teamId, id);
    if (!row) throw notFound("Check");
    await deleteCheckRow(trx, row.key);
    await notifyChange(trx, "checks");
  });
}
