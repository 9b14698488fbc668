/**
 * A pool that takes a database of plain PostgreSQL for one of Citus, so that the statements for Citus run wherever the tests do. It
 * shows that such a statement is whole and answers as the other form does. It does not show that Citus can plan it: that takes a
 * coordinator with workers (docs/citus.md).
 */
import type { Knex } from "knex";
import { createOnWorker } from "../src/platform/db/distribute.ts";
import { learnEngine } from "../src/platform/db/engine.ts";
import { openPool } from "../src/platform/db/pool.ts";
import type { TestDatabase } from "./database.ts";

/** Objects of Citus that the service asks for, as those of a coordinator whose workers have nothing open. */
const CATALOG = `
  INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
    VALUES (4294900000, 'citus', 10, 'public'::regnamespace, false, '13.0-1');
  CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod "char");
  INSERT INTO pg_dist_partition VALUES ('results', 'h');
  CREATE FUNCTION run_command_on_workers(command text)
    RETURNS TABLE (nodename text, nodeport integer, success boolean, result text) LANGUAGE sql
    AS $body$ SELECT 'worker', 5432, true, '' WHERE command IS NOT NULL $body$;`;

/** Opens a further pool of a database, once for each; the database's own pool goes on with the statements for PostgreSQL. */
export async function openFakedCitus({ url }: TestDatabase): Promise<Knex> {
  const pool = openPool(url, { poolMax: 4 });
  await pool.raw(CATALOG);
  await createOnWorker(pool);
  if ((await learnEngine(pool)) !== "citus") throw new Error("the database was not taken for one of Citus");
  return pool;
}
