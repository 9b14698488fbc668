/** The status of 100 SLOs over 5 million results of 30 days: one check each, every 52 s, rolled up but for the open tail. */
import { startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { createLoad, createPartitions, openBenchDatabase } from "./bench-database.ts";
import { printTable, quantile } from "./measure.ts";

const SLOS = 100;
const STORED_ROWS = 5_000_000;
const WINDOW_MS = 30 * 86_400_000;
const REQUESTS = 1_000;
const BUCKET_MS = 300_000;

export async function slosBench(): Promise<void> {
  const folder = temporaryFolder();
  const controlPlane = await startControlPlane({
    dataDir: folder.path,
    environment: { SVC_RATE_LIMIT_PER_MINUTE: "1000000" },
  });
  try {
    const database = await openBenchDatabase(folder.path);
    const { locationKey, checks } = await createLoad(controlPlane, database, SLOS);
    const nowMs = Date.now();
    await fillWindow(
      database,
      checks.map(({ key }) => key),
      locationKey,
      nowMs,
    );
    const rows = [];
    for (const [title, sli] of [
      ["availability", {}],
      ["performance", { sliType: "performance", perfThresholdMs: 2 }],
      ["availability, maintenance on each day", {}],
    ] as const) {
      if (title.includes("maintenance")) await addWindows(database, nowMs);
      const ids = [];
      for (const { id: checkId } of checks) {
        const body = { name: title, checkId, targetBasisPoints: 9_990, windowDays: 30, ...sli };
        ids.push((await controlPlane.ok<{ slo: { id: string } }>("POST", "/api/slos", body)).slo.id);
      }
      if ("sliType" in sli) await untilCounted(database);
      const times = [];
      for (let i = 0; i < REQUESTS; i++) {
        const startMs = performance.now();
        await controlPlane.ok("GET", `/api/slos/${ids[(i * 37) % ids.length]}/status`);
        times.push(performance.now() - startMs);
      }
      times.sort((a, b) => a - b);
      rows.push({ status: title, "p50 ms": quantile(times, 0.5), "p99 ms": quantile(times, 0.99) });
    }
    printTable(rows);
    await database.close();
  } finally {
    await controlPlane.process.stop();
    folder.remove();
  }
}

type Database = Awaited<ReturnType<typeof openBenchDatabase>>;

/** 5 million results evenly over 30 days, and the rollups of them, as the service computes them. */
export async function fillWindow(
  { client, url }: Database,
  checkKeys: number[],
  locationKey: number,
  nowMs: number,
) {
  const perCheck = STORED_ROWS / checkKeys.length;
  const stepMs = Math.floor(WINDOW_MS / perCheck);
  const doneUntilMs = Math.floor((nowMs - 2 * BUCKET_MS) / BUCKET_MS) * BUCKET_MS;
  await createPartitions({ url }, nowMs - 32 * 86_400_000, nowMs);
  for (let day = 31; day >= 0; day--) {
    const fromMs = Math.floor((nowMs - day * 86_400_000) / 86_400_000) * 86_400_000;
    await client.query(
      `INSERT INTO results (check_key, location_key, slot_ms, runner_key, start_delay_ms, elapsed_us, response_time_us, status)
       SELECT c, $2, s, 1, 1, 3000, 1500 + (s / 1000) % 1000, CASE WHEN s % 997 = 0 THEN 3 ELSE 1 END
       FROM unnest($1::bigint[]) c, generate_series(greatest($3::bigint, $6::bigint), least($4::bigint, $7::bigint) - 1, $5::bigint) s`,
      [checkKeys, locationKey, fromMs, fromMs + 86_400_000, stepMs, Math.floor(nowMs - WINDOW_MS), nowMs],
    );
  }
  const counts = `count(*) FILTER (WHERE status = 1), 0, count(*) FILTER (WHERE status = 3), 0, sum(response_time_us),
    min(response_time_us), max(response_time_us)`;
  for (const seconds of [300, 3600])
    await client.query(
      `INSERT INTO rollups SELECT ${seconds}, slot_ms / ${seconds * 1000} * ${seconds * 1000} AS bucket, check_key, location_key, ${counts}
       FROM results WHERE slot_ms < $1::bigint / ${seconds * 1000} * ${seconds * 1000}
       GROUP BY 2, 3, 4 ON CONFLICT DO NOTHING`,
      [doneUntilMs],
    );
  await client.query(
    `INSERT INTO job_progress VALUES ('rollups', $1)
     ON CONFLICT (job) DO UPDATE SET done_until_ms = greatest(job_progress.done_until_ms, $1)`,
    [doneUntilMs],
  );
  await client.query("VACUUM ANALYZE results");
  await client.query("VACUUM ANALYZE rollups");
}

/** The background job has counted the performance thresholds over all that is stored. */
async function untilCounted({ client }: Database): Promise<void> {
  for (;;) {
    const { rows } = await client.query(
      "SELECT count(*) FILTER (WHERE is_complete)::int AS done FROM performance_thresholds",
    );
    if (rows[0].done === SLOS) break;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  await client.query("VACUUM ANALYZE performance_rollups");
}

/** A window that held on each day of the SLOs' window for half an hour, which no rollup's edge meets. */
async function addWindows({ client }: Database, nowMs: number): Promise<void> {
  const firstMs = nowMs - (nowMs % BUCKET_MS) - WINDOW_MS + 123_456;
  await client.query(
    `WITH w AS (
       INSERT INTO maintenance_windows
         (id, team_id, name, mode, is_for_all_checks, starts_at, ends_at, timezone, expanded_until)
       SELECT 'mw_bench', id, 'bench', 'continue', true, to_timestamp($1 / 1000.0), now(), 'UTC', now() FROM teams
       RETURNING key)
     INSERT INTO maintenance_occurrences (window_key, starts_at, ends_at, is_announced)
     SELECT key, to_timestamp(s / 1000.0), to_timestamp((s + 1800001) / 1000.0), true
     FROM w, generate_series($1::bigint, $2::bigint, 86400000) s`,
    [firstMs, nowMs - 86_400_000],
  );
}
