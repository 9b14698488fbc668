import type { Knex } from "knex";
import type { Author } from "../../accounts/change-log/author.ts";
import { recordChange } from "../../accounts/change-log/store.ts";
import type { Services } from "../../platform/services.ts";
import { removeRules } from "./generated-rules.ts";
import { deleteSloRow, lockSlosOfCheck } from "./store.ts";
import { lockSlo } from "./update-slo.ts";

/** Deletes an SLO with its generated rules, whose open instances are resolved. @throws DomainError not_found (also the second time) */
export async function deleteSlo(
  services: Services,
  teamId: string,
  id: string,
  author: Author,
): Promise<void> {
  await services.knex.transaction(async (trx) => {
    const row = await lockSlo(trx, teamId, id);
    await removeRules(services, trx, row, "the SLO was deleted");
    await deleteSloRow(trx, row.key);
    await recordChange(trx, {
      ...{ teamId, author, action: "deleted", type: "slo", atMs: services.clock.nowMs() },
      ...{ resourceId: row.id, name: row.name },
    });
  });
}

/** Writes down which SLOs go with a check that is being deleted: without its results they would say nothing. */
export async function recordSlosDeletedWith(
  trx: Knex,
  check: { key: number; teamId: string },
  author: Author,
  atMs: number,
): Promise<void> {
  for (const { id, name } of await lockSlosOfCheck(trx, check.key))
    await recordChange(trx, {
      ...{ teamId: check.teamId, author, action: "deleted", type: "slo", resourceId: id, name, atMs },
    });
}
