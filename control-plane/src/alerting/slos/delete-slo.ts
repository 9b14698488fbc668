import type { SloId } from "@svc/contract";
import type { Knex } from "knex";
import { type ChangeEntry, changeRecord } from "../../accounts/change-log/change-record.ts";
import { assertSameVersion } from "../../platform/http/record-version.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { deleteGeneratedRules } from "./generated-rules.ts";
import { lockSlo } from "./lock-slo.ts";
import { deleteSloRow, lockSlosOfCheck } from "./store.ts";

/**
 * Deletes an SLO with its generated rules, whose open instances are resolved.
 * @throws DomainError `not_found`, also the second time
 */
export async function deleteSlo(ctx: TeamContext, { id }: { id: SloId }): Promise<void> {
  const { teamId, services } = ctx;
  await changeRecord(ctx, async (trx) => {
    const slo = await lockSlo(trx, { teamId, id });
    assertSameVersion(ctx, slo);
    const atMs = services.clock.nowMs();
    await deleteGeneratedRules(trx, slo.key, { reason: "the SLO was deleted", atMs });
    await deleteSloRow(trx, slo.key);
    return {
      result: undefined,
      changes: [{ action: "deleted", type: "slo", resourceId: slo.id, name: slo.name }],
    };
  });
}

/** Locks the SLOs of a check that is being deleted and returns the change-log entries of their deletion. */
export async function sloEntriesOfDeleted(trx: Knex, checkKey: number): Promise<ChangeEntry[]> {
  const slos = await lockSlosOfCheck(trx, checkKey);
  return slos.map(({ id, name }) => ({ action: "deleted", type: "slo", resourceId: id, name }));
}
