import type { Knex } from "knex";
import type { Services } from "../../platform/services.ts";
import { lockChecks } from "../evaluation/locks.ts";
import { changeInstance, tellChannels } from "./change-instance.ts";
import type { InstanceDetailRow } from "./row.ts";
import { readOpenInstancesOfCheck, readOpenInstancesOfRule } from "./store.ts";

/** Resolves what is open of a rule that will judge no further result. Under the check's lock. */
export async function endInstances(
  { clock }: Services,
  trx: Knex,
  rule: { key: number },
  reason: string,
): Promise<void> {
  await resolveAll(trx, await readOpenInstancesOfRule(trx, rule.key), reason, clock.nowMs());
  await trx("alertConfirmations").where({ ruleKey: rule.key }).delete();
}

/** Tells the end of what is open of a check that is being deleted, so that no page stays open; the rows go with the check. */
export async function endInstancesOfCheck({ clock }: Services, trx: Knex, checkKey: number): Promise<void> {
  await lockChecks(trx, [checkKey]);
  await resolveAll(
    trx,
    await readOpenInstancesOfCheck(trx, checkKey),
    "the check was deleted",
    clock.nowMs(),
  );
}

async function resolveAll(
  trx: Knex,
  rows: readonly InstanceDetailRow[],
  reason: string,
  nowMs: number,
): Promise<void> {
  for (const row of rows) {
    const patch = { state: "resolved" as const, resolvedAt: new Date(nowMs) };
    await changeInstance(trx, row, patch, { type: "resolved", actorId: null, detail: { reason } }, nowMs);
    if (row.wasAnnounced) await tellChannels(trx, row, "resolved", nowMs);
  }
}
