/** Reading with 5 million rows stored: the results list and a check with its newest results. */
import { startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { type BenchDatabase, createLoad, fillResults, openBenchDatabase } from "./bench-database.ts";
import { printTable, quantile } from "./measure.ts";

const CHECKS = 5000;
const STORED_ROWS = 5_000_000;
const REQUESTS = 500;

export async function readsBench(): Promise<void> {
  const folder = temporaryFolder();
  const controlPlane = await startControlPlane({
    dataDir: folder.path,
    environment: { SVC_RATE_LIMIT_PER_MINUTE: "1000000" },
  });
  try {
    const database = await openBenchDatabase(folder.path);
    const { locationKey, checks } = await createLoad(controlPlane, database, CHECKS);
    await fillResults(database, checks, locationKey, Date.now(), { count: STORED_ROWS, order: "by check" });
    const rows = [];
    for (const [title, path] of [
      ["results list, limit 50", "/results"],
      ["results list, limit 200, offset 800", "/results?limit=200&offset=800"],
      ["check with 50 newest results", ""],
    ] as const) {
      const scansBefore = await sequentialScans(database);
      const times = [];
      for (let i = 0; i < REQUESTS; i++) {
        const check = checks[(i * 37) % checks.length];
        const startMs = performance.now();
        await controlPlane.ok("GET", `/api/checks/${check?.id}${path}`);
        times.push(performance.now() - startMs);
      }
      times.sort((a, b) => a - b);
      rows.push({
        read: title,
        "p50 ms": quantile(times, 0.5),
        "p99 ms": quantile(times, 0.99),
        "sequential scans of results": (await sequentialScans(database)) - scansBefore,
      });
    }
    printTable(rows);
    await database.close();
  } finally {
    await controlPlane.process.stop();
    folder.remove();
  }
}

/** Returns the number of times that PostgreSQL read a non-empty partition of results from end to end. */
async function sequentialScans({ client }: BenchDatabase): Promise<number> {
  await client.query("SELECT pg_stat_force_next_flush()").catch(() => undefined);
  const { rows } = await client.query(
    "SELECT coalesce(sum(seq_scan), 0)::int AS scans FROM pg_stat_user_tables WHERE relname LIKE 'results\\_%' AND n_live_tup > 0",
  );
  return rows[0].scans;
}
