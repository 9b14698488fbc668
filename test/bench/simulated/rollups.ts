/**
 * The rollups of an hour by the real SQL, bucket by bucket as the service computes them, on a sample of the fleet whose checks run every
 * 60 s and have rollups of a day already. The hour has not come yet, so that the service leaves it alone.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@svc/contract";
import { openPool } from "../../../control-plane/src/platform/db/pool.ts";
import { FIVE_MINUTE_ROLLUPS_BY_DAY } from "../../../control-plane/src/platform/db/rollup-tables.ts";
import { dayOf } from "../../../control-plane/src/results/retention/partitions.ts";
import { BUCKET_MS, hourOf } from "../../../control-plane/src/results/rollups/buckets.ts";
import { divideByDay } from "../../../control-plane/src/results/rollups/days-store.ts";
import { computeBuckets, computeHour } from "../../../control-plane/src/results/rollups/store.ts";
import { startControlPlane } from "../../harness/control-plane.ts";
import { temporaryFolder } from "../../harness/folders.ts";
import { type BenchDatabase, createLoad, fillResults, openBenchDatabase } from "../bench-database.ts";

const CHECKS = 10_000;
const EVERY_SECONDS = 60;
/** Results of an hour. */
const RESULTS = (CHECKS * HOUR_MS) / (EVERY_SECONDS * 1000);
const HISTORY_HOURS = 24;
/** Time between two checkpoints of the embedded server. */
const CHECKPOINT_EVERY_MS = 15 * MINUTE_MS;

/** Cost of the rollups for each result, and what they counted. */
export interface RollupMeasures {
  results: number;
  counted: number;
  rows: number;
  expectedRows: number;
  /** Rows of the 24 hours before. */
  historyRows: number;
  bucketUs: number;
  hourUs: number;
  /** Write-ahead log of buckets and hours, with a checkpoint each quarter of an hour. */
  walBytes: number;
  /** Stored bytes of a row of five minutes, and of one of an hour, with its indexes. */
  bucketRowBytes: number;
  hourRowBytes: number;
}

/** Computes the buckets and the hour of results that it stores before. */
export async function measureRollups(): Promise<RollupMeasures> {
  const folder = temporaryFolder();
  const controlPlane = await startControlPlane({ dataDir: folder.path });
  const database = await openBenchDatabase(folder.path);
  const formerMs = hourOf(Date.now()) + 2 * HOUR_MS;
  const hourMs = formerMs + HOUR_MS;
  const knex = openPool(database.url, { poolMax: 1 });
  const compute = async (work: (trx: typeof knex) => Promise<void>) => {
    const before = database.cpuMs();
    await knex.transaction(work);
    return ((database.cpuMs() - before) * 1000) / RESULTS;
  };
  const computeBucketsOf = async (fromMs: number) => {
    let us = 0;
    for (let bucketMs = fromMs; bucketMs < fromMs + HOUR_MS; bucketMs += BUCKET_MS) {
      if (bucketMs % CHECKPOINT_EVERY_MS === 0) await database.client.query("CHECKPOINT");
      us += await compute((trx) => computeBuckets(trx, bucketMs, bucketMs + BUCKET_MS));
    }
    return us;
  };
  try {
    // As the service does at its start, but for days of the past.
    await divideByDay(knex, { cutMs: dayOf(formerMs) - 2 * DAY_MS, untilMs: dayOf(hourMs) + DAY_MS });
    const { locationKey, checks } = await createLoad(controlPlane, database, CHECKS, EVERY_SECONDS);
    await fillResults(database, checks, locationKey, hourMs + HOUR_MS, {
      count: 2 * RESULTS,
      order: "by slot",
      everySeconds: EVERY_SECONDS,
    });
    await computeBucketsOf(formerMs);
    await compute((trx) => computeHour(trx, formerMs));
    const historyRows = await copyToHoursBefore(database, formerMs);
    const walBefore = await database.walBytes();
    const bucketUs = await computeBucketsOf(hourMs);
    const hourUs = await compute((trx) => computeHour(trx, hourMs));
    const walBytes = ((await database.walBytes()) - walBefore) / RESULTS;
    const { rows } = await database.client.query<{ counted: string; rows: string }>(
      `SELECT sum(success_count) FILTER (WHERE bucket_seconds = ${BUCKET_MS / 1000}) AS counted, count(*) AS rows
       FROM rollups WHERE bucket_ms >= $1 AND bucket_ms < $2`,
      [hourMs, hourMs + HOUR_MS],
    );
    const [bucketRowBytes, hourRowBytes] = await Promise.all(
      [FIVE_MINUTE_ROLLUPS_BY_DAY, "rollups_1h"].map((table) => rowBytes(database, table)),
    );
    return {
      results: RESULTS,
      counted: Number(rows[0]?.counted),
      rows: Number(rows[0]?.rows),
      expectedRows: CHECKS * (HOUR_MS / BUCKET_MS + 1),
      historyRows,
      bucketUs,
      hourUs,
      walBytes,
      bucketRowBytes: bucketRowBytes as number,
      hourRowBytes: hourRowBytes as number,
    };
  } finally {
    await knex.destroy();
    await database.close();
    await controlPlane.process.stop();
    folder.remove();
  }
}

/** Returns the stored bytes of a row of the table and its partitions with its part of the indexes. */
async function rowBytes({ client }: BenchDatabase, table: string): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    `SELECT (SELECT sum(pg_relation_size(relid) + pg_indexes_size(relid)) FROM pg_partition_tree('${table}'))::float8 / count(*) AS bytes
     FROM ${table}`,
  );
  return Number(rows[0]?.bytes);
}

/**
 * Stores the rollups of the hour at `fromMs` for the hours before as well, the oldest first.
 * @returns how many rows there are then
 */
async function copyToHoursBefore({ client }: BenchDatabase, fromMs: number): Promise<number> {
  const bound = [fromMs, fromMs + HOUR_MS];
  await client.query("CREATE TEMPORARY TABLE copied (LIKE rollups)");
  await client.query(
    "INSERT INTO copied SELECT * FROM rollups WHERE bucket_ms >= $1 AND bucket_ms < $2",
    bound,
  );
  await client.query("UPDATE copied SET bucket_ms = bucket_ms - $1::bigint", [HISTORY_HOURS * HOUR_MS]);
  for (let hour = 1; hour < HISTORY_HOURS; hour++) {
    await client.query("INSERT INTO rollups SELECT * FROM copied ORDER BY bucket_seconds, bucket_ms");
    await client.query("UPDATE copied SET bucket_ms = bucket_ms + $1::bigint", [HOUR_MS]);
  }
  await client.query("DROP TABLE copied");
  await client.query("VACUUM (ANALYZE) rollups");
  const { rows } = await client.query<{ rows: string }>("SELECT count(*) AS rows FROM rollups");
  return Number(rows[0]?.rows);
}
