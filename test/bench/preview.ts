/**
 * Previews of alert rules (POST /api/alerts/preview) for a check that runs every 10 s at three locations, with 30 days of
 * results: CPU of control plane and PostgreSQL for an answer, and the longest time that the event loop was held. Each rule
 * is replayed over two histories: one with an outage now and then, and one in which every other result is a failure.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { until } from "../harness/wait.ts";
import {
  type BenchDatabase,
  createLoad,
  createPartitions,
  type LoadCheck,
  openBenchDatabase,
} from "./bench-database.ts";
import { cpuMs, median, printTable } from "./measure.ts";

const LOCATIONS = ["loc_us_east", "loc_eu_central"];
const DAY_MS = 86_400_000;
const ROUNDS = 3;
/** CPU that an answer may cost by its range, ms; and the longest hold of the event loop, ms. */
const BUDGET = { "7d": 1_000, "30d": 5_000 } as const;
const HOLD_BUDGET_MS = 20;

/** When a result failed, as SQL over its number `n` and that of its location `l`. */
const HISTORIES = {
  // Twelve outages a day: eight of three runs, seen everywhere, and four of a hundred.
  "an outage now and then": "n % 1080 < 3 OR n % 2160 BETWEEN 500 AND 600",
  "every other run fails": "(n + l) % 2 = 0",
} as const;

const RULES: Record<string, object> = {
  "3 failures in a row": { conditions: [{ type: "consecutive_failures", count: 3 }] },
  "5 of 10 failed": { conditions: [{ type: "failure_ratio", failures: 5, total: 10 }] },
  "400 of 1,000 failed": { conditions: [{ type: "failure_ratio", failures: 400, total: 1_000 }] },
  "1 of 1,000 failed, confirmed": {
    conditions: [{ type: "failure_ratio", failures: 1, total: 1_000 }],
    confirm: true,
  },
  "slower than 2 s": { conditions: [{ type: "response_time_threshold", maxMs: 2_000 }] },
  "two locations, and slower than 0.5 s, after 100 successes": {
    conditions: [
      { type: "multi_location_failure", minLocations: 2 },
      { type: "response_time_threshold", maxMs: 500 },
    ],
    recovery: { consecutiveSuccesses: 100 },
  },
};

interface Preview {
  results: number;
  count: number;
}

export async function previewBench(): Promise<void> {
  const folder = temporaryFolder();
  const loopFile = join(folder.path, "loop");
  writeFileSync(loopFile, "");
  const controlPlane = await startControlPlane({
    dataDir: folder.path,
    environment: {
      SVC_RATE_LIMIT_PER_MINUTE: "1000000",
      NODE_OPTIONS: `--import=${new URL("loop-delay.mjs", import.meta.url)}`,
      BENCH_LOOP_FILE: loopFile,
    },
  });
  const hold = async () => {
    const before = readFileSync(loopFile, "utf8").length;
    controlPlane.process.signal("SIGUSR2");
    const line = await until("the control plane wrote its longest hold", async () => {
      const text = readFileSync(loopFile, "utf8").slice(before);
      return text.endsWith("\n") ? text : undefined;
    });
    return JSON.parse(line) as { wallMs: number; cpuMs: number };
  };
  try {
    const database = await openBenchDatabase(folder.path);
    const histories = Object.entries(HISTORIES);
    const { checks } = await createLoad(controlPlane, database, histories.length);
    await createPartitions(database, Date.now() - 31 * 86_400_000, Date.now());
    for (const [i, [, isFailure]] of histories.entries())
      await fill(database, checks[i] as LoadCheck, isFailure);
    await database.client.query("VACUUM ANALYZE results");
    const used = () => database.cpuMs() + cpuMs(controlPlane.process.pid);
    for (const range of ["7d", "30d"] as const) {
      const rows = [];
      for (const [i, [history]] of histories.entries())
        for (const [title, rule] of Object.entries(RULES)) {
          const [costs, holds]: number[][] = [[], []];
          let last: Preview = { results: 0, count: 0 };
          await hold();
          for (let round = 0; round < ROUNDS; round++) {
            const before = used();
            const body = { checkId: checks[i]?.id, range, ...rule };
            last = await controlPlane.ok<Preview>("POST", "/api/alerts/preview", body);
            costs?.push(used() - before);
            holds?.push((await hold()).cpuMs);
          }
          const cost = median(costs ?? []);
          const longest = Math.max(...(holds ?? []));
          rows.push({
            history,
            rule: title,
            results: last.results,
            fires: last.count,
            "CPU ms": cost,
            budget: BUDGET[range],
            "longest hold, CPU ms": longest,
            "": cost > BUDGET[range] || longest > HOLD_BUDGET_MS ? "over" : "ok",
          });
        }
      console.log(`\n#### ${range}\n`);
      printTable(rows);
    }
    await database.close();
  } finally {
    await controlPlane.process.stop();
    folder.remove();
  }
}

/** Gives the check two further locations, and results of 30 days at all three. */
async function fill(
  { client }: BenchDatabase,
  { key, phaseMs }: LoadCheck,
  isFailure: string,
): Promise<void> {
  await client.query(
    `UPDATE check_revisions SET location_keys = location_keys || (SELECT array_agg(key) FROM locations WHERE id = ANY($2))
     WHERE check_key = $1`,
    [key, LOCATIONS],
  );
  const nowMs = Date.now();
  await client.query(
    `INSERT INTO results (check_key, location_key, slot_ms, runner_key, start_delay_ms, elapsed_us, response_time_us, status)
     SELECT $1, location_key, slot_ms, 1, 1, 3000, 300000 + n * 7919 % 250000,
       CASE WHEN ${isFailure} THEN 3 ELSE 1 END
     FROM (SELECT location_key, l, n, (($3::bigint - $4::bigint) / 10000 + n) * 10000 + $2::bigint + l * 3333 AS slot_ms
           FROM check_revisions r, unnest(r.location_keys) WITH ORDINALITY AS o (location_key, l), generate_series(0, 259199) n
           WHERE r.check_key = $1 AND r.revision = (SELECT max(revision) FROM check_revisions WHERE check_key = $1)) AS s
     WHERE slot_ms < $3`,
    [key, phaseMs, nowMs, 30 * DAY_MS],
  );
}
