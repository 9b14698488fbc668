import { notFound } from "@svc/contract";
import { endInstancesOfCheck } from "../alerting/end-instances.ts";
import { type Author, OPERATOR } from "../changes/author.ts";
import { recordChange } from "../changes/store.ts";
import { notifyChange } from "../scheduling/change-listener.ts";
import type { Services } from "../services.ts";
import { recordSlosDeletedWith } from "../slos/delete-slo.ts";
import { deleteCheckRow, findCheckRow, lockCheckRow } from "./store.ts";

/** Deletes a check: it is gone at once, its results follow in the background. @throws DomainError not_found (also the second time) */
export async function deleteCheck(
  services: Services,
  teamId: string,
  id: string,
  author: Author = OPERATOR,
): Promise<void> {
  await services.knex.transaction(async (trx) => {
    const found = await findCheckRow(trx, teamId, id);
    // Before the row's lock, which an evaluation under way will want for its instance.
    if (found) await endInstancesOfCheck(services, trx, found.key);
    const row = found && (await lockCheckRow(trx, teamId, id));
    if (!row) throw notFound("Check");
    await recordSlosDeletedWith(trx, row, author, services.clock.nowMs());
    await deleteCheckRow(trx, row.key);
    await notifyChange(trx, "checks");
    await recordChange(trx, {
      ...{ teamId, author, action: "deleted", type: "check", atMs: services.clock.nowMs() },
      ...{ resourceId: row.id, name: row.name },
    });
  });
}
