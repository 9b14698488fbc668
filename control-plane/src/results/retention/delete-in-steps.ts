import type { Knex } from "knex";
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

/** Deletes the rows of a table for which the condition holds, in short transactions. */
export async function deleteInSteps(
  knex: Knex,
  { table, condition, binding, rowsAtOnce = ROWS_AT_ONCE }: DeleteInput,
): Promise<void> {
  for (;;) {
    const deleted = await queryRows(
      knex,
      `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${rowsAtOnce}))
       RETURNING 1`,
      typeof binding === "object" ? [...binding] : [binding],
    );
    if (deleted.length < rowsAtOnce) return;
  }
}
