/** SQL of how far back results can lie. */
import type { Knex } from "knex";
import { queryRows } from "../platform/db/rows.ts";
import { dayOfPartition } from "./retention/partitions.ts";

/** Returns the begin of the oldest day that has a partition of results, Unix ms; infinite: none has one. Reads the catalog alone. */
export async function readOldestSlotMs(db: Knex): Promise<number> {
  const [row] = await queryRows<{ name: string | null }>(
    db,
    `SELECT min(c.relname::text COLLATE "C") AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'results'::regclass`,
  );
  return dayOfPartition(row?.name ?? "") ?? Number.POSITIVE_INFINITY;
}
