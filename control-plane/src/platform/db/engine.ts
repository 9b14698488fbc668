/**
 * The engine behind a pool: PostgreSQL, or Citus, which keeps the tables that grow with runs on its workers. It is found out once,
 * at the start. A store whose statement Citus does not take keeps the other form beside it and asks `engineOf` which to use.
 */
import type { Knex } from "knex";
import { queryRows } from "./rows.ts";

/** "citus": the tables that grow with runs are distributed. "postgres": all tables are on one server. */
export type Engine = "postgres" | "citus";

/** Engines by the settings of a pool, which the transactions of the pool share. */
const engines = new WeakMap<object, Engine>();

/** Returns the engine of a pool or of one of its transactions; "postgres" until {@link learnEngine} was called. */
export function engineOf(db: Knex): Engine {
  return engines.get(db.client.config) ?? "postgres";
}

/** Records the engine of a pool for the rest of its life. */
function setEngine(pool: Knex, engine: Engine): void {
  engines.set(pool.client.config, engine);
}

/** Asks the database whether its results are distributed, and records the engine of the pools. All are of one database. */
export async function learnEngine(pool: Knex, others: readonly Knex[] = []): Promise<Engine> {
  const engine = await readEngine(pool);
  for (const one of [pool, ...others]) setEngine(one, engine);
  return engine;
}

async function readEngine(db: Knex): Promise<Engine> {
  if (!(await hasCitus(db))) return "postgres";
  const rows = await queryRows(
    db,
    "SELECT 1 AS one FROM pg_dist_partition WHERE logicalrelid = to_regclass('results') AND partmethod = 'h'",
  );
  return rows.length > 0 ? "citus" : "postgres";
}

/** True when the database has the Citus extension, whether or not anything is distributed. */
export async function hasCitus(db: Knex): Promise<boolean> {
  return (await queryRows(db, "SELECT 1 AS one FROM pg_extension WHERE extname = 'citus'")).length > 0;
}
