/** The rollups of an hour by the real SQL, on a sample of the fleet, at an hour that has not come yet. */
import { HOUR_MS } from "@svc/contract";
import { openPool } from "../../../control-plane/src/platform/db/pool.ts";
import { BUCKET_MS, hourOf } from "../../../control-plane/src/results/rollups/buckets.ts";
import { computeBuckets, computeHour } from "../../../control-plane/src/results/rollups/store.ts";
import { startControlPlane } from "../../harness/control-plane.ts";
import { temporaryFolder } from "../../harness/folders.ts";
import { createLoad, fillResults, openBenchDatabase } from "../bench-database.ts";

const CHECKS = 2_000;
/** The checks of the load run every 10 s. */
const RESULTS = (CHECKS * HOUR_MS) / 10_000;

/** Cost of the rollups, and what they counted. */
export interface RollupMeasures {
  results: number;
  counted: number;
  rows: number;
  expectedRows: number;
  bucketUs: number;
  hourUs: number;
}

/** Computes the buckets and the hour of results that it stores before. */
export async function measureRollups(): Promise<RollupMeasures> {
  const folder = temporaryFolder();
  const controlPlane = await startControlPlane({ dataDir: folder.path });
  const database = await openBenchDatabase(folder.path);
  // The service computes closed buckets by itself; this hour is not closed.
  const hourMs = hourOf(Date.now()) + 2 * HOUR_MS;
  const knex = openPool(database.url, { poolMax: 1 });
  const costOf = async (compute: (trx: typeof knex) => Promise<void>) => {
    const before = database.cpuMs();
    await knex.transaction(compute);
    return ((database.cpuMs() - before) * 1000) / RESULTS;
  };
  try {
    const { locationKey, checks } = await createLoad(controlPlane, database, CHECKS);
    await fillResults(database, checks, locationKey, hourMs + HOUR_MS, {
      count: RESULTS,
      order: "by slot",
    });
    const bucketUs = await costOf((trx) => computeBuckets(trx, hourMs, hourMs + HOUR_MS));
    const hourUs = await costOf((trx) => computeHour(trx, hourMs));
    const { rows } = await database.client.query<{ counted: string; rows: string }>(
      `SELECT sum(success_count) FILTER (WHERE bucket_seconds = ${BUCKET_MS / 1000}) AS counted, count(*) AS rows
       FROM rollups WHERE bucket_ms >= $1 AND bucket_ms < $2`,
      [hourMs, hourMs + HOUR_MS],
    );
    return {
      results: RESULTS,
      counted: Number(rows[0]?.counted),
      rows: Number(rows[0]?.rows),
      expectedRows: CHECKS * (HOUR_MS / BUCKET_MS + 1),
      bucketUs,
      hourUs,
    };
  } finally {
    await knex.destroy();
    await database.close();
    await controlPlane.process.stop();
    folder.remove();
  }
}
