/** Set-based SQL outside knex's query builder. */
import type { WholeMs } from "@svc/contract";
import type { Knex } from "knex";

/** Named bindings of a statement. Instants, durations and slots become bigints, which hold no fractions. */
export interface NamedBindings {
  readonly [instant: `${string}Ms`]: WholeBinding;
  readonly [slots: `slot${string}`]: WholeBinding;
  readonly [slot: `${string}Slot`]: WholeBinding;
  readonly [slots: `${string}Slots`]: WholeBinding;
  readonly [name: string]: unknown;
}

type WholeBinding = WholeMs | readonly WholeMs[] | null;

/**
 * Runs one statement and returns its rows. Column names in snake_case come back in camelCase, as from the query builder, so
 * that SQL needs no aliases for that; keys inside JSON values stay as they are.
 * @param sql bindings stand in it as `?` (a list) or `:name` (an object); after a name write CAST(:name AS type), since
 *   `:name::type` would be read as another name
 */
export async function queryRows<Row>(
  db: Knex,
  sql: string,
  bindings: readonly unknown[] | NamedBindings = [],
): Promise<Row[]> {
  const result: SqlResult = await db.raw(sql, bindings as Knex.RawBinding[]);
  return rowsInCamelCase(result) as Row[];
}

interface SqlResult {
  rows: Record<string, unknown>[];
  fields: readonly { name: string }[];
}

function rowsInCamelCase({ rows, fields }: SqlResult): Record<string, unknown>[] {
  if (!fields.some(({ name }) => name.includes("_"))) return rows;
  const names = fields.map(({ name }) => [name, camelCase(name)] as const);
  return rows.map((row) => {
    const mapped: Record<string, unknown> = {};
    for (const [name, property] of names) mapped[property] = row[name];
    return mapped;
  });
}

const known = new Map<string, string>();

/** Returns `effectiveFromMs` for `effective_from_ms`. The names come from our own SQL, so the cache is bounded by it. */
function camelCase(name: string): string {
  let camel = known.get(name);
  if (camel === undefined) {
    camel = name.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
    known.set(name, camel);
  }
  return camel;
}
