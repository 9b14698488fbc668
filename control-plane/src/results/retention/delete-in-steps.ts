import type { Knex } from "knex";
import { isDistributed } from "../../platform/db/distribute.ts";
import { engineOf } from "../../platform/db/engine.ts";
import { queryRows } from "../../platform/db/rows.ts";

const ROWS_AT_ONCE = 5_000;

/** The rows to delete, and how many at once. */
export interface DeleteInput {
  /** An unpartitioned table. */
  table: string;
  /** SQL condition of the rows that go, with a `?` for each binding. */
  condition: string;
  /** Value of the condition's `?`, or a value for each. */
  binding: number | string | readonly (number | string | readonly number[])[];
  rowsAtOnce?: number;
}

/**
 * Deletes the rows of a table for which the condition holds, in short transactions. Of a distributed table all go at once: its
 * rows are on several workers, and a place of a row on one says nothing on another.
 */
export async function deleteInSteps(
  knex: Knex,
  { table, condition, binding, rowsAtOnce = ROWS_AT_ONCE }: DeleteInput,
): Promise<void> {
  const bindings = typeof binding === "object" ? [...binding] : [binding];
  if (engineOf(knex) === "citus" && isDistributed(table)) {
    await queryRows(knex, `DELETE FROM ${table} WHERE ${condition}`, bindings);
    return;
  }
  for (;;) {
    const deleted = await queryRows(
      knex,
      `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${rowsAtOnce}))
       RETURNING 1`,
      bindings,
    );
    if (deleted.length < rowsAtOnce) return;
  }
}
