/**
 * Longest wait of a statement that stores a result while the table of results, with many rows (SVC_BENCH_ROWS), is migrated: for each kind
 * of migration, beside the same load without one. For one kind another session also reads the table in a long transaction, as a
 * report does. The last row is a plain ALTER TABLE without `lock_timeout` beside such a report.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import pg from "pg";
import { migrate } from "../../control-plane/src/platform/db/migrate.ts";
import { openPool } from "../../control-plane/src/platform/db/pool.ts";
import { startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import {
  type BenchDatabase,
  createLoad,
  fillResults,
  type LoadCheck,
  openBenchDatabase,
} from "./bench-database.ts";
import { printTable, quantile } from "./measure.ts";

const STORED_ROWS = Number(process.env.SVC_BENCH_ROWS ?? 5_000_000);
const CHECKS = 1_000;
/** Time for which the report holds the table, ms. */
const REPORT_MS = 3_000;
/** Time for which results are stored where nothing else happens, ms. */
const FLOOR_MS = 5_000;

/** A migration of the bench: its name, and whether its statements run outside of a transaction. */
interface BenchMigration {
  name: string;
  isOutside?: boolean;
  up(knex: Knex): Promise<void>;
}

const MIGRATIONS: BenchMigration[] = [
  {
    name: "column",
    up: async (knex) => void (await knex.raw("ALTER TABLE results ADD COLUMN bench integer")),
  },
  {
    name: "constraint, not validated",
    up: async (knex) =>
      void (await knex.raw("ALTER TABLE results ADD CONSTRAINT bench_is_small CHECK (bench < 9) NOT VALID")),
  },
  {
    name: "constraint, validated",
    up: async (knex) => void (await knex.raw("ALTER TABLE results VALIDATE CONSTRAINT bench_is_small")),
  },
  { name: "index, by partition", isOutside: true, up: indexByPartition },
];

async function indexByPartition(knex: Knex): Promise<void> {
  const { rows } = await knex.raw(
    `SELECT relid::regclass::text AS name, parentrelid::regclass::text AS parent, isleaf AS "isLeaf"
     FROM pg_partition_tree('results') ORDER BY level`,
  );
  // Those that have partitions first, then the others, whose indexes are attached to theirs.
  for (const { name, parent, isLeaf } of rows as { name: string; parent: string | null; isLeaf: boolean }[]) {
    if (isLeaf) {
      await knex.raw("DROP INDEX CONCURRENTLY IF EXISTS ??", [`bench_${name}`]);
      await knex.raw("CREATE INDEX CONCURRENTLY ?? ON ?? (bench)", [`bench_${name}`, name]);
    } else await knex.raw("CREATE INDEX IF NOT EXISTS ?? ON ONLY ?? (bench)", [`bench_${name}`, name]);
    if (parent) await knex.raw("ALTER INDEX ?? ATTACH PARTITION ??", [`bench_${parent}`, `bench_${name}`]);
  }
}

/** Measures each kind of migration beside the same load without one. */
export async function migrationsBench(): Promise<void> {
  const folder = temporaryFolder();
  const controlPlane = await startControlPlane({ dataDir: folder.path });
  try {
    const database = await openBenchDatabase(folder.path);
    const { locationKey, checks } = await createLoad(controlPlane, database, CHECKS);
    await fillResults(database, checks, locationKey, Date.now() - 60_000, {
      count: STORED_ROWS,
      order: "by check",
    });
    const load = { database, checks, locationKey };
    const rows = [{ migration: "none", ...(await whileStoring(load, () => sleep(FLOOR_MS))) }];
    for (const migration of MIGRATIONS)
      for (const report of migration.name === "column" ? ["", ", beside a report"] : [""])
        rows.push({
          migration: migration.name + report,
          ...(await whileStoring(load, () =>
            report
              ? besideReport(database, () =>
                  run(database, { ...migration, name: "column again", up: secondColumn }),
                )
              : run(database, migration),
          )),
        });
    rows.push({
      migration: "column without lock_timeout, beside a report",
      ...(await whileStoring(load, () =>
        besideReport(database, () => database.client.query("ALTER TABLE results ADD COLUMN bench3 integer")),
      )),
    });
    console.log(`${STORED_ROWS / 1e6} million rows stored`);
    printTable(rows);
    await database.close();
  } finally {
    await controlPlane.process.stop();
    folder.remove();
  }
}

async function secondColumn(knex: Knex): Promise<void> {
  await knex.raw("ALTER TABLE results ADD COLUMN bench2 integer");
}

/** Runs a migration as the service does. */
function run({ url }: BenchDatabase, { name, isOutside, up }: BenchMigration): Promise<void> {
  const migrationSource: Knex.MigrationSource<string> = {
    getMigrations: async () => [name],
    getMigrationName: (migration) => migration,
    getMigration: async () => ({ up, down: async () => undefined, config: { transaction: !isOutside } }),
  };
  return migrate(url, { config: { migrationSource, tableName: "bench_migrations" } });
}

/** Reads the table in a transaction that stays open for a while, and does the work meanwhile. */
async function besideReport({ url }: BenchDatabase, work: () => Promise<unknown>): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query("BEGIN");
  await client.query("SELECT FROM results LIMIT 1");
  const report = sleep(REPORT_MS).then(() => client.end());
  await Promise.all([report, work()]);
}

interface StoringLoad {
  database: BenchDatabase;
  checks: readonly LoadCheck[];
  locationKey: number;
}

/** Stores one result after the other until the work is done. */
async function whileStoring({ database, checks, locationKey }: StoringLoad, work: () => Promise<unknown>) {
  const knex = openPool(database.url, { poolMax: 1 });
  const startMs = performance.now();
  let isDone = false;
  const working = work().finally(() => {
    isDone = true;
  });
  // An insert that fails is what shows; the work ends with the database.
  working.catch(() => undefined);
  const waits: number[] = [];
  try {
    const slotMs = Math.floor(Date.now() / 1000) * 1000;
    for (let i = 0; !isDone || waits.length === 0; i++) {
      const sentMs = performance.now();
      // As the service stores them: a slot that has a result already keeps it.
      await knex("results")
        .insert({
          checkKey: checks[i % checks.length]?.key,
          locationKey,
          slotMs: slotMs - i,
          runnerKey: 1,
          startDelayMs: 0,
          elapsedUs: 3_000,
          responseTimeUs: 1_000,
          httpStatusCode: 200,
          status: 1,
          createdAt: new Date(),
        })
        .onConflict()
        .ignore();
      waits.push(performance.now() - sentMs);
    }
    await working;
  } finally {
    await knex.destroy();
  }
  waits.sort((a, b) => a - b);
  return {
    "took s": (performance.now() - startMs) / 1_000,
    "results stored": waits.length,
    "p50 ms": quantile(waits, 0.5),
    "longest ms": waits.at(-1) ?? 0,
  };
}
