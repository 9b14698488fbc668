/**
 * Slots, series and filtered results of a check with 5 million results of 30 days stored: 20 checks, a result each 10.4 s.
 * Ten of them have, for the last eight days, a result for each of their slots but one of 500; those of the others lie beside
 * the slots of their checks, all of which are missing.
 */
import { startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import {
  type BenchDatabase,
  createLoad,
  createPartitions,
  type LoadCheck,
  openBenchDatabase,
} from "./bench-database.ts";
import { cpuMs, printTable, quantile } from "./measure.ts";
import { fillWindow } from "./slos.ts";

const CHECKS = 20;
/** Checks whose results lie on their slots. */
const REGULAR_CHECKS = 10;
const REQUESTS = 200;
const HOUR_MS = 3_600_000;

export async function historyBench(): Promise<void> {
  const folder = temporaryFolder();
  const controlPlane = await startControlPlane({
    dataDir: folder.path,
    environment: { SVC_RATE_LIMIT_PER_MINUTE: "1000000" },
  });
  try {
    const database = await openBenchDatabase(folder.path);
    const { locationKey, checks } = await createLoad(controlPlane, database, CHECKS);
    const nowMs = Date.now();
    await fillWindow(
      database,
      checks.map(({ key }) => key),
      locationKey,
      nowMs,
    );
    await fillSlots(database, checks.slice(0, REGULAR_CHECKS), locationKey, nowMs);
    // Distributions of eight classes, as a target with some jitter has them.
    await database.client.query(
      `UPDATE rollups SET response_time_histogram = decode(repeat('00002a10', 8), 'hex'),
         phase_sums_us = '{1000,2000,3000,4000,5000}' WHERE bucket_seconds = 3600`,
    );
    await database.client.query("VACUUM ANALYZE rollups");
    const from = (hours: number) => `from=${new Date(nowMs - hours * HOUR_MS).toISOString()}`;
    const rows = [];
    const regular = checks.slice(0, REGULAR_CHECKS);
    for (const [title, path, asked = checks] of [
      ["slots, 24 h", `slots?${from(24)}`, regular],
      ["slots, 7 d", `slots?${from(7 * 24)}`, regular],
      ["slots, 24 h, all missing", `slots?${from(24)}`, checks.slice(REGULAR_CHECKS)],
      ["slots, 7 d, all missing", `slots?${from(7 * 24)}`, checks.slice(REGULAR_CHECKS)],
      ["coverage, 7 d", "coverage?range=7d", regular],
      ["series, 24 h", `series?${from(24)}`],
      ["series, 30 d", `series?${from(30 * 24)}`],
      ["series, 13 months", `series?${from(395 * 24)}`],
      ["results, status=error", "results?status=error"],
      ["results, status=timeout (none)", "results?status=timeout"],
      ["results, slowerThanMs=2", "results?slowerThanMs=2"],
    ] as const) {
      const times = [];
      const cpuBefore = database.cpuMs() + cpuMs(controlPlane.process.pid);
      for (let i = 0; i < REQUESTS; i++) {
        const startMs = performance.now();
        await controlPlane.ok("GET", `/api/checks/${asked[(i * 37) % asked.length]?.id}/${path}`);
        times.push(performance.now() - startMs);
      }
      times.sort((a, b) => a - b);
      rows.push({
        read: title,
        "p50 ms": quantile(times, 0.5),
        "p99 ms": quantile(times, 0.99),
        "CPU ms each": (database.cpuMs() + cpuMs(controlPlane.process.pid) - cpuBefore) / REQUESTS,
      });
    }
    printTable(rows);
    await database.close();
  } finally {
    await controlPlane.process.stop();
    folder.remove();
  }
}

/** Replaces what is stored of these checks by a result for each of their slots of eight days but one of 500. */
async function fillSlots(
  { client, url }: BenchDatabase,
  checks: readonly LoadCheck[],
  locationKey: number,
  nowMs: number,
): Promise<void> {
  await createPartitions({ url }, nowMs - 8 * 24 * HOUR_MS, nowMs);
  await client.query("DELETE FROM results WHERE check_key = ANY($1)", [checks.map(({ key }) => key)]);
  for (const { key, phaseMs } of checks)
    await client.query(
      `INSERT INTO results (check_key, location_key, slot_ms, runner_key, start_delay_ms, elapsed_us, response_time_us, status)
       SELECT $1, $2, s, 1, 1, 3000, 1500 + (s / 1000) % 1000, CASE WHEN s / 10000 % 97 = 0 THEN 3 ELSE 1 END
       FROM generate_series($3::bigint + $4::bigint, $5::bigint, 10000) s WHERE s / 10000 % 500 <> 0`,
      [key, locationKey, Math.floor((nowMs - 8 * 24 * HOUR_MS) / 10_000) * 10_000, phaseMs, nowMs],
    );
  await client.query("VACUUM ANALYZE results");
}
