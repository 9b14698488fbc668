/** Slots, series and filtered results of a check with 5 million results of 30 days stored: 20 checks, a slot each 10.4 s. */
import { startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { createLoad, openBenchDatabase } from "./bench-database.ts";
import { cpuMs, printTable, quantile } from "./measure.ts";
import { fillWindow } from "./slos.ts";

const CHECKS = 20;
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
    // Distributions of eight classes, as a target with some jitter has them.
    await database.client.query(
      `UPDATE rollups SET response_time_histogram = decode(repeat('00002a10', 8), 'hex'),
         phase_sums_us = '{1000,2000,3000,4000,5000}' WHERE bucket_seconds = 3600`,
    );
    await database.client.query("VACUUM ANALYZE rollups");
    const from = (hours: number) => `from=${new Date(nowMs - hours * HOUR_MS).toISOString()}`;
    const rows = [];
    for (const [title, path] of [
      ["slots, 24 h", `slots?${from(24)}`],
      ["slots, 7 d", `slots?${from(7 * 24)}`],
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
        await controlPlane.ok("GET", `/api/checks/${checks[(i * 37) % checks.length]?.id}/${path}`);
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
