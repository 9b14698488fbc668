/** Set-based SQL outside knex's query builder. */
import type { Knex } from "knex";

/**
 * Runs one statement and answers its rows as they come (name the columns in camel case by quoted aliases). Bindings stand
 * as `?` in a list, or as `:name` in an object; after a name write CAST(:name AS type), as `:name::type` is read otherwise.
 */
export async function queryRows<Row>(
  db: Knex,
  sql: string,
  bindings: readonly unknown[] | Record<string, unknown> = [],
): Promise<Row[]> {
  const result = await db.raw(sql, bindings as Knex.RawBinding[]);
  return result.rows;
}
