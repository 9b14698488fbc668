import { notFound } from "@svc/contract";
import { type Author, OPERATOR } from "../accounts/change-log/author.ts";
import { recordChange } from "../accounts/change-log/store.ts";
import { endInstancesOfCheck } from "../alerting/instances/end-instances.ts";
import { recordSlosDeletedWith } from "../alerting/slos/delete-slo.ts";
import { notifyChange } from "../platform/db/change-listener.ts";
import type { Services } from "../platform/services.ts";
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
