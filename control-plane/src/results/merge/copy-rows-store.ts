/** SQL that copies results into the table that becomes their part of a day. */
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import { hasIdOfRunSql } from "../../platform/db/trace-id-sql.ts";

/** The rows to copy. */
export interface RowsToCopy {
  /** The table that they go to. */
  into: string;
  /** The table that they are in. */
  from: string;
  /** Condition on a row `r`. */
  where: string;
  bindings: unknown[];
  /** Expressions of `r` in whose order they are to lie; absent: in any. */
  orderBy?: string;
}

/** True: the trace id need not be stored. NULL, too, where the check or the location is not known any more. */
const HAS_ID_OF_RUN = hasIdOfRunSql({ result: "r", checkId: "c.id", locationId: "l.id" });

/** Values that are not copied as they are. */
const VALUES: Readonly<Record<string, string>> = {
  xid: "NULL",
  trace_id: "CASE WHEN r.keeps_trace_id THEN r.trace_id END",
  has_own_trace_id: "r.keeps_trace_id",
};

/**
 * Copies rows as they are, but for the id of the transaction that stored them, which nobody asks for any more, and a trace id that follows
 * from the run. A row that is there already stays: a late result is found by its mark and, in an hour that appeared late, by the copy of
 * the hour.
 */
export async function copyRows(
  trx: Knex,
  { into, from, where, bindings, orderBy }: RowsToCopy,
): Promise<void> {
  const columns = await readColumns(trx);
  const values = columns.map((column) => VALUES[column] ?? `r.${column}`);
  // OFFSET 0 has the hash computed once for two columns.
  await trx.raw(
    `INSERT INTO ${into} (${columns.join(", ")}) SELECT ${values.join(", ")}
     FROM (SELECT r.*, CASE WHEN r.trace_id IS NOT NULL AND ${HAS_ID_OF_RUN} THEN NULL ELSE r.has_own_trace_id END AS keeps_trace_id
       FROM ${from} r LEFT JOIN checks c ON c.key = r.check_key LEFT JOIN locations l ON l.key = r.location_key
       WHERE ${where} OFFSET 0) r
     ${orderBy === undefined ? "" : `ORDER BY ${orderBy}`} ON CONFLICT DO NOTHING`,
    bindings as never,
  );
}

async function readColumns(db: Knex): Promise<string[]> {
  const rows = await queryRows<{ name: string }>(
    db,
    `SELECT attname AS name FROM pg_attribute
     WHERE attrelid = 'results'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
  );
  return rows.map(({ name }) => name);
}
