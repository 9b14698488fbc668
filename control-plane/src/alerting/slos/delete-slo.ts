import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { ChangeEntry } from "../../accounts/change-log/change-record.ts";
import { recordChange } from "../../accounts/change-log/store.ts";
import type { Services } from "../../platform/services.ts";
import type { Author } from "../../platform/team-context.ts";
import { removeRules } from "./generated-rules.ts";
import { deleteSloRow, lockSlosOfCheck } from "./store.ts";
import { lockSlo } from "./update-slo.ts";

/** Deletes an SLO with its generated rules, whose open instances are resolved. @throws DomainError not_found (also the second time) */
export async function deleteSlo(
  services: Services,
  teamId: TeamId,
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

/** Locks the SLOs of a check that is being deleted and returns the change-log entries of their deletion. */
export async function sloEntriesOfDeleted(trx: Knex, checkKey: number): Promise<ChangeEntry[]> {
  const slos = await lockSlosOfCheck(trx, checkKey);
  return slos.map(({ id, name }) => ({ action: "deleted", type: "slo", resourceId: id, name }));
}
