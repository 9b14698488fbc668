/**
 * Makes distributed tables of those that grow with runs. All are distributed by the key of the check, and a check's rows of all of them
 * lie together on one worker, so that what is asked about one check is answered by one worker. All other tables stay on the coordinator.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import type pg from "pg";
import { ADVISORY_LOCKS } from "./advisory-locks.ts";
import { hasCitus } from "./engine.ts";
import { listMergedTables } from "./merged-tables.ts";
import { type DatabaseConnection, openPool } from "./pool.ts";
import { BUCKET_INDEX, FIVE_MINUTE_ROLLUPS, FIVE_MINUTE_ROLLUPS_BY_DAY } from "./rollup-tables.ts";
import { queryRows } from "./rows.ts";

/** The tables that are distributed by their column `check_key`; the first is the one that the others lie beside. */
const DISTRIBUTED_TABLES = [
  "results",
  "result_details",
  "rollups",
  "performance_rollups",
  "tls_observations",
  "kept_results",
] as const;

/** True of a distributed table and of its partitions. */
export function isDistributed(table: string): boolean {
  return DISTRIBUTED_TABLES.some(
    (name) =>
      table === name ||
      (table.startsWith(`${name}_`) && /^\d+(?:[mh]|_\d\d_\d\d)?$/.test(table.slice(name.length + 1))),
  );
}

/** How often, and how long apart, it is looked whether the service has left. */
const LEFT_ATTEMPTS = 20;
const LEFT_PAUSE_MS = 100;

/** Oldest major version of Citus that is supported. */
const CITUS_MAJOR_MIN = 12;

/** The database can't be distributed; the message says why and what to do. */
export class DistributeError extends Error {}

/**
 * Runs a statement on the worker of a check, for each row of a statement about tables of the coordinator: Citus joins no subquery
 * that refers to such a row. Its arguments become $1 to $8; the first is the check.
 */
const ON_WORKER = `
  CREATE OR REPLACE FUNCTION svc_on_worker(statement text, a bigint, b bigint DEFAULT NULL, c bigint DEFAULT NULL,
    d bigint DEFAULT NULL, e bigint DEFAULT NULL, f bigint DEFAULT NULL, g bigint DEFAULT NULL, h bigint DEFAULT NULL)
  RETURNS SETOF record LANGUAGE plpgsql AS $body$
  BEGIN RETURN QUERY EXECUTE statement USING a, b, c, d, e, f, g, h; END $body$`;

/**
 * Distributes what is not distributed yet, with the rows that are there. Calling it again changes nothing; calls at once wait for one another.
 * @returns the tables that were distributed now
 * @throws DistributeError when the server is no coordinator of Citus or has no worker
 */
export async function distributeTables(connection: DatabaseConnection): Promise<string[]> {
  return withMigrationLock(connection, async (pool) => {
    await assertCoordinator(pool);
    await assertUnused(pool);
    return distribute(pool);
  });
}

/** Distributes the tables of a new database on a coordinator that has workers: one without checks and results. Harmless to repeat. */
export async function distributeWhenNew(connection: DatabaseConnection): Promise<void> {
  await withMigrationLock(connection, async (pool) => {
    if (!(await hasCitus(pool)) || (await countWorkers(pool)) === 0) return;
    // Each alone: Citus answers no EXISTS about a table that is distributed already.
    for (const table of ["results", "checks"])
      if ((await queryRows(pool, `SELECT 1 AS one FROM ${table} LIMIT 1`)).length > 0) return;
    await assertCoordinator(pool);
    await distribute(pool);
  });
}

async function distribute(pool: Knex): Promise<string[]> {
  const present = await queryRows<{ name: string }>(
    pool,
    "SELECT logicalrelid::text AS name FROM pg_dist_partition WHERE partmethod = 'h'",
  );
  const done = new Set(present.map(({ name }) => name));
  const missing = DISTRIBUTED_TABLES.filter((table) => !done.has(table));
  await gatherFiveMinuteRollups(pool);
  await flattenPartitions(pool);
  await removeUnfinishedMerges(pool);
  const [first] = DISTRIBUTED_TABLES;
  for (const table of missing)
    await pool.raw("SELECT create_distributed_table(?, 'check_key', colocate_with => ?)", [
      table,
      table === first ? "none" : first,
    ]);
  await createOnWorker(pool);
  return missing;
}

/** Creates the function that the subqueries of `perRow` call. Harmless to repeat. */
export async function createOnWorker(pool: Knex): Promise<void> {
  await pool.raw(ON_WORKER);
}

/**
 * Puts the rollups of five minutes, which lie in a table for each day, into one table, as Citus distributes no tables of two levels. Harmless
 * to repeat.
 */
export async function gatherFiveMinuteRollups(db: Knex): Promise<void> {
  await db.transaction(async (trx) => {
    const [row] = await queryRows<{ bound: string | null }>(
      trx,
      "SELECT pg_get_expr(relpartbound, oid) AS bound FROM pg_class WHERE oid = to_regclass(?)",
      [FIVE_MINUTE_ROLLUPS_BY_DAY],
    );
    if (!row) return;
    await trx.raw(`
      ALTER TABLE rollups DETACH PARTITION ${FIVE_MINUTE_ROLLUPS_BY_DAY};
      CREATE TABLE gathered_rollups AS SELECT * FROM ${FIVE_MINUTE_ROLLUPS_BY_DAY};
      DROP TABLE ${FIVE_MINUTE_ROLLUPS_BY_DAY};
      CREATE TABLE ${FIVE_MINUTE_ROLLUPS} PARTITION OF rollups ${row.bound};
      INSERT INTO ${FIVE_MINUTE_ROLLUPS} SELECT * FROM gathered_rollups;
      DROP TABLE gathered_rollups;
      CREATE INDEX ON ${FIVE_MINUTE_ROLLUPS} ${BUCKET_INDEX};`);
  });
}

/** A partition that is partitioned itself, or a partition of such a one. */
interface NestedPartition {
  root: string;
  parent: string;
  /** Null for the partition that has others. */
  name: string | null;
  bound: string;
}

/**
 * Makes the partitions within partitions into partitions of the table itself, since Citus distributes no tables of two levels. Harmless to
 * repeat. The rows of each are read once.
 */
export async function flattenPartitions(db: Knex): Promise<void> {
  await db.transaction(async (trx) => {
    const nested = await queryRows<NestedPartition>(
      trx,
      `SELECT pg_partition_root(p.oid)::regclass::text AS root, p.oid::regclass::text AS parent, c.oid::regclass::text AS name,
         pg_get_expr(c.relpartbound, c.oid) AS bound
       FROM pg_class p LEFT JOIN pg_inherits i ON i.inhparent = p.oid LEFT JOIN pg_class c ON c.oid = i.inhrelid
       WHERE p.relkind = 'p' AND p.relispartition ORDER BY 2, 3`,
    );
    for (const { parent, name } of nested)
      if (name !== null) await trx.raw(`ALTER TABLE ${parent} DETACH PARTITION ${name}`);
    for (const parent of new Set(nested.map((one) => one.parent))) await trx.raw(`DROP TABLE ${parent}`);
    for (const { root, name, bound } of nested)
      if (name !== null) await trx.raw(`ALTER TABLE ${root} ATTACH PARTITION ${name} ${bound}`);
  });
}

/** Tables of the progress of merges, of this release and of the one before. */
const MERGE_PROGRESS = ["copied_hours", "late_result_buckets", "merged_hours", "unmerged_late_buckets"];

/**
 * Removes what merges have copied and not put in its place, and their progress, since on Citus nobody goes on with them. The results
 * themselves are in their hours. Harmless to repeat.
 */
export async function removeUnfinishedMerges(db: Knex): Promise<void> {
  await db.transaction(async (trx) => {
    for (const name of await listMergedTables(trx)) await trx.raw(`DROP TABLE ${name}`);
    for (const table of MERGE_PROGRESS) await trx.raw(`DELETE FROM ${table}`);
  });
}

async function assertCoordinator(pool: Knex): Promise<void> {
  if (!(await hasCitus(pool)))
    throw new DistributeError(
      "the database of DATABASE_URL has no extension citus: create it there and on the workers, and add the workers",
    );
  const [row] = await queryRows<{ version: string }>(
    pool,
    "SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'",
  );
  if (Number.parseInt(row?.version ?? "0", 10) < CITUS_MAJOR_MIN)
    throw new DistributeError(`Citus is ${row?.version}; the oldest that works is ${CITUS_MAJOR_MIN}`);
  if ((await countWorkers(pool)) === 0)
    throw new DistributeError("the coordinator knows no worker: add one with citus_add_node");
}

/**
 * A replica goes by the engine that it found at its start, and would send statements that Citus refuses. Connections that were just
 * closed are waited for.
 */
async function assertUnused(pool: Knex): Promise<void> {
  for (let attempt = 1; attempt <= LEFT_ATTEMPTS; attempt++) {
    const [row] = await queryRows<{ count: number }>(
      pool,
      `SELECT count(*) AS count FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'svc-control-plane' AND pid <> pg_backend_pid()`,
    );
    if (row?.count === 0) return;
    await sleep(LEFT_PAUSE_MS);
  }
  throw new DistributeError(
    "the service uses the database: stop all replicas, distribute, and start them again",
  );
}

async function countWorkers(pool: Knex): Promise<number> {
  const [row] = await queryRows<{ count: number }>(
    pool,
    "SELECT count(*) AS count FROM pg_dist_node WHERE shouldhaveshards AND noderole = 'primary' AND isactive",
  );
  return row?.count ?? 0;
}

/** Does work while no replica migrates or distributes. Its connections have no time limit: rows may have to move. */
async function withMigrationLock<T>(
  connection: DatabaseConnection,
  work: (pool: Knex) => Promise<T>,
): Promise<T> {
  const pool = openPool(connection, { poolMax: 2, statementTimeoutMs: 0 });
  try {
    const lockHolder = (await pool.client.acquireConnection()) as pg.Client;
    try {
      await lockHolder.query("SET application_name = 'svc-control-plane distribute'");
      await lockHolder.query("SELECT pg_advisory_lock($1)", [ADVISORY_LOCKS.migrate]);
      return await work(pool);
    } finally {
      await lockHolder.query("SELECT pg_advisory_unlock_all()").catch(() => undefined);
      await pool.client.releaseConnection(lockHolder);
    }
  } finally {
    await pool.destroy();
  }
}
