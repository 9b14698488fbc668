import type { Knex } from "knex";
import { queryRows } from "./rows.ts";

/** Returns the names of the tables that hours of results are merged into, and that are no partitions yet. */
export async function listMergedTables(db: Knex): Promise<string[]> {
  const rows = await queryRows<{ name: string }>(
    db,
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND starts_with(relname, 'merged_results_')
       AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'results'::regclass) ORDER BY relname`,
  );
  return rows.map(({ name }) => name);
}
