/**
 * Parts of statements that differ between PostgreSQL and Citus. On PostgreSQL each part is the text that a store would write anyway,
 * and none costs a statement of its own. On Citus there are four rules:
 *
 * - A statement about one check, whose tables are all distributed, is answered by the worker of the check, whatever its shape. A
 *   table of the coordinator in it is read first and sent along: {@link sentAlong}.
 * - A subquery that refers to rows of the coordinator runs on the worker once for each row: {@link perRow}.
 * - Ids of transactions are the coordinator's, whose functions a worker must not evaluate: {@link currentXid}.
 * - An INSERT of a SELECT that passes over conflicts says how many rows it inserted only by returning them: {@link countedInserts}.
 */
import type { Knex } from "knex";
import { engineOf } from "./engine.ts";
import { queryRows } from "./rows.ts";

/** A subquery of FROM that refers to rows before it. */
export interface PerRow {
  /** Alias of the subquery. */
  as: string;
  /** Its columns with their types. */
  columns: string;
  /**
   * The SELECT. Whatever comes from outside stands in braces and is a bigint: `{c.key}`, `{:fromMs}`. The first is the key of the check;
   * at most eight differ. A whole number that is the same for all rows may be part of the text.
   */
  select: string;
}

/** Arguments of `svc_on_worker`, less the statement. A database that is distributed keeps the function that it has. */
const VALUES_MAX = 8;

/**
 * Returns the subquery as an item of FROM, without LATERAL.
 * @throws Error on Citus when the subquery can't run there: more than eight values differ, or a binding stands outside braces
 */
export function perRow(db: Knex, { as, columns, select }: PerRow): string {
  if (engineOf(db) === "postgres") return `(${select.replaceAll(/\{([^{}]+)\}/g, "$1")}) ${as}`;
  const outside: string[] = [];
  const statement = select.replaceAll(/\{([^{}]+)\}/g, (_match, expression: string) => {
    if (!outside.includes(expression)) outside.push(expression);
    return `$${outside.indexOf(expression) + 1}`;
  });
  if (/(?<!:):[a-zA-Z]/.test(statement)) throw new Error(`a binding stands outside braces: ${statement}`);
  if (outside.length > VALUES_MAX)
    throw new Error(`${outside.length} values come from outside, ${VALUES_MAX} may: ${outside.join(", ")}`);
  const values = outside.map((expression) => `CAST(${expression} AS bigint)`);
  return `svc_on_worker('${statement.replaceAll("'", "''")}', ${values.join(", ")}) AS ${as} (${columns})`;
}

/**
 * Returns the begin of a statement about one check that reads tables of the coordinator, too: on Citus they are read first, each by its
 * SELECT, and sent to the worker under their own names. Empty on PostgreSQL.
 */
export function sentAlong(db: Knex, tables: Readonly<Record<string, string>>): string {
  if (engineOf(db) === "postgres") return "";
  return `WITH ${Object.entries(tables)
    .map(([name, select]) => `${name} AS MATERIALIZED (${select})`)
    .join(", ")} `;
}

/** Returns the id of the transaction at hand as an expression. */
export async function currentXid(trx: Knex): Promise<string> {
  if (engineOf(trx) === "postgres") return "pg_current_xact_id()";
  const [row] = await queryRows<{ xid: string }>(trx, "SELECT pg_current_xact_id()::text AS xid");
  return `CAST('${row?.xid}' AS xid8)`;
}

/**
 * Returns the end of an INSERT of a SELECT with ON CONFLICT DO NOTHING whose count of rows is used: Citus counts the rows of the SELECT
 * unless it returns those that it inserted. Empty on PostgreSQL.
 */
export function countedInserts(db: Knex): string {
  return engineOf(db) === "postgres" ? "" : " RETURNING 1";
}

/**
 * Returns the result of a check, a location and a slot, each a column of a row before it, as an item of FROM: one row or none. The
 * statement binds `minSlot` and `maxSlot`, between which all of the slots lie, so that no other partition is looked at.
 */
export function resultAt(
  db: Knex,
  [checkKey, locationKey, slotMs]: readonly [string, string, string],
): string {
  return perRow(db, {
    as: "one_result",
    columns: "one integer",
    select: `SELECT 1 AS one FROM results r WHERE r.check_key = {${checkKey}} AND r.location_key = {${locationKey}} AND r.slot_ms = {${slotMs}} AND r.slot_ms BETWEEN {:minSlot} AND {:maxSlot}`,
  });
}
