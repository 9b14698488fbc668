/** SQL of pending confirmations. */
import type { RunnerId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { Confirmation } from "./transitions.ts";

/** Stores confirmations; each takes the place of the one that its rule had. */
export async function putConfirmations(trx: Knex, confirmations: readonly Confirmation[]): Promise<void> {
  for (const { expiresAtMs, ...row } of confirmations)
    await trx("alertConfirmations")
      .insert({ ...row, expiresAt: new Date(expiresAtMs) })
      .onConflict("ruleKey")
      .merge();
}

/** Deletes the confirmations of these rules. */
export async function deleteConfirmations(trx: Knex, ruleKeys: readonly number[]): Promise<void> {
  if (ruleKeys.length > 0) await trx("alertConfirmations").whereIn("ruleKey", ruleKeys).delete();
}

/** Returns the public ids of runners, by key. */
export async function readRunnerIds(db: Knex, keys: readonly number[]): Promise<Map<number, RunnerId>> {
  if (keys.length === 0) return new Map();
  const rows = await queryRows<{ key: number; id: RunnerId }>(
    db,
    "SELECT key, id FROM runners WHERE key = ANY(?)",
    [keys],
  );
  return new Map(rows.map(({ key, id }) => [key, id]));
}
