/** Resolves the open instances of rules and checks that no result will be judged by any more. */
import type { Knex } from "knex";
import { deleteConfirmations } from "../evaluation/confirmation-store.ts";
import { lockChecks } from "../evaluation/locks.ts";
import { changeInstance, notifyChannels } from "./change-instance.ts";
import type { InstanceDetailRow } from "./row.ts";
import { readOpenInstancesOfCheck, readOpenInstancesOfRule } from "./store.ts";

/** The rule whose open instances end. `atMs`: Unix ms. */
export interface ResolveInstancesOfRuleInput {
  ruleKey: number;
  /** Why, for the history: "the rule was deleted". */
  reason: string;
  atMs: number;
}

/** Resolves a rule's open instance and forgets its pending confirmation. Call it under the lock of the rule's check. */
export async function resolveInstancesOfRule(
  trx: Knex,
  { ruleKey, reason, atMs }: ResolveInstancesOfRuleInput,
): Promise<void> {
  await resolveAll(trx, await readOpenInstancesOfRule(trx, ruleKey), { reason, atMs });
  await deleteConfirmations(trx, [ruleKey]);
}

/** The check whose open instances end. `atMs`: Unix ms. */
export interface ResolveInstancesOfCheckInput {
  checkKey: number;
  /** Why, for the history: "the check was deleted". */
  reason: string;
  atMs: number;
}

/** Resolves the open instances of a check that no run will end, so that no page stays open. Takes the lock of the check. */
export async function resolveInstancesOfCheck(
  trx: Knex,
  { checkKey, reason, atMs }: ResolveInstancesOfCheckInput,
): Promise<void> {
  await lockChecks(trx, [checkKey]);
  await resolveAll(trx, await readOpenInstancesOfCheck(trx, checkKey), { reason, atMs });
}

async function resolveAll(
  trx: Knex,
  instances: readonly InstanceDetailRow[],
  { reason, atMs }: { reason: string; atMs: number },
): Promise<void> {
  for (const instance of instances) {
    await changeInstance(trx, {
      instance,
      patch: { state: "resolved", resolvedAt: new Date(atMs) },
      event: { type: "resolved", actorId: null, detail: { reason } },
      atMs,
    });
    if (instance.wasAnnounced) await notifyChannels(trx, { instance, kind: "resolved", atMs });
  }
}
