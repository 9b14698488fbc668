/** Set-based SQL outside knex's query builder. */
import type { Knex } from "knex";

/** Runs one statement with `?` bindings and answers its rows as they come (name the columns in camel case by quoted aliases). */
export async function queryRows<Row>(
  db: Knex,
  sql: string,
  bindings: readonly unknown[] = [],
): Promise<Row[]> {
  const result = await db.raw(sql, bindings as Knex.RawBinding[]);
  return result.rows;
}
