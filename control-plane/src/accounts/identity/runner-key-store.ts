/** SQL of runner keys as credentials. */
import type { RunnerKeyId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

export interface RunnerKeyRow {
  id: RunnerKeyId;
  /** null: the key belongs to the hosted pool. */
  locationKey: number | null;
}

/** The runner key with this SHA-256, or undefined. Its last use is noted at most once an hour. */
export async function findRunnerKey(db: Knex, keyHash: Buffer): Promise<RunnerKeyRow | undefined> {
  const [row] = await queryRows<RunnerKeyRow & { isStale: boolean }>(
    db,
    `SELECT id, location_key AS "locationKey",
       last_used_at IS NULL OR last_used_at < now() - interval '1 hour' AS "isStale"
     FROM runner_keys WHERE key_hash = ?`,
    [keyHash],
  );
  if (row?.isStale) await db.raw("UPDATE runner_keys SET last_used_at = now() WHERE id = ?", [row.id]);
  return row && { id: row.id, locationKey: row.locationKey };
}
