/**
 * What people and programs read of a check, with 5 million results of 30 days stored, or as many as SVC_BENCH_ROWS says: each read
 * beside `GET /api/checks/:id` of the same run, by CPU and by time. A check has a result a minute at one location.
 */
import { DAY_MS } from "@svc/contract";
import { openPool } from "../../control-plane/src/platform/db/pool.ts";
import { storeHistory } from "../../control-plane/test-support/stored-history.ts";
import { type ControlPlane, startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { type BenchDatabase, createLoad, type LoadCheck, openBenchDatabase } from "./bench-database.ts";
import { cpuMs, median, printTable, quantile } from "./measure.ts";

const STORED_ROWS = Number(process.env.SVC_BENCH_ROWS ?? 5_000_000);
const DAYS = 30;
const CHECKS = Math.ceil(STORED_ROWS / (DAYS * 1_440));
/** Checks that are asked about, one after the other. */
const ASKED = Math.min(100, CHECKS);
/** Requests of each read in a round. Rounds go through all reads in turn, so that a busy moment meets them alike. */
const REQUESTS = 50;
const ROUNDS = 10;

/** A check that is asked about, with its SLO. */
interface Asked {
  checkId: string;
  sloId: string;
}

type Read = [title: string, path: (asked: Asked) => string];

export async function readsBench(): Promise<void> {
  const folder = temporaryFolder();
  const controlPlane = await startControlPlane({
    dataDir: folder.path,
    environment: { SVC_RATE_LIMIT_PER_MINUTE: "1000000" },
  });
  try {
    const database = await openBenchDatabase(folder.path);
    const nowMs = Date.now();
    const { locationKey, checks } = await createLoad(controlPlane, database, CHECKS, 60);
    await database.client.query("UPDATE checks SET created_at = to_timestamp($1 / 1000.0)", [
      nowMs - (DAYS + 1) * DAY_MS,
    ]);
    const knex = openPool(database.url, { poolMax: 2 });
    await storeHistory(knex, { checks, locationKey, nowMs, resultDays: DAYS, rollupDays: DAYS });
    await knex.destroy();
    const asked = await createSlos(controlPlane, checks.slice(0, ASKED));

    const since = (days: number) => `from=${new Date(nowMs - days * DAY_MS).toISOString()}`;
    const reads: Read[] = [
      ["the check with its 50 newest results", ({ checkId }) => `/api/checks/${checkId}`],
      ["results list, 50 results", ({ checkId }) => `/api/checks/${checkId}/results`],
      [
        "results list, 200 results, offset 800",
        ({ checkId }) => `/api/checks/${checkId}/results?limit=200&offset=800`,
      ],
      ["coverage of a day", ({ checkId }) => `/api/checks/${checkId}/coverage?range=24h`],
      ["coverage of a week", ({ checkId }) => `/api/checks/${checkId}/coverage?range=7d`],
      ["series of a day", ({ checkId }) => `/api/checks/${checkId}/series?${since(1)}`],
      ["series of 30 days", ({ checkId }) => `/api/checks/${checkId}/series?${since(30)}`],
      ["status of an SLO over 30 days", ({ sloId }) => `/api/slos/${sloId}/status`],
      ["feed of the check, 50 events", ({ checkId }) => `/api/events?checkId=${checkId}&limit=50`],
      ["feed of the team, 50 events", () => "/api/events?limit=50"],
    ];
    printTable(await measureReads({ controlPlane, database, asked }, reads));
    await database.close();
  } finally {
    await controlPlane.process.stop();
    folder.remove();
  }
}

/** Gives each check an SLO over 30 days. */
async function createSlos(controlPlane: ControlPlane, checks: readonly LoadCheck[]): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const { id: checkId } of checks) {
    const body = { name: "Availability", checkId, targetBasisPoints: 9_900, windowDays: 30 };
    const { slo } = await controlPlane.ok<{ slo: { id: string } }>("POST", "/api/slos", body);
    asked.push({ checkId, sloId: slo.id });
  }
  return asked;
}

interface Measured {
  controlPlane: ControlPlane;
  database: BenchDatabase;
  asked: readonly Asked[];
}

/** Asks one request after the other. The first of the reads is what the others are compared with, round by round. */
async function measureReads(
  { controlPlane, database, asked }: Measured,
  reads: readonly Read[],
): Promise<Record<string, string | number>[]> {
  const timesMs = reads.map((): number[] => []);
  const roundCpuMs = reads.map((): number[] => []);
  const cpuNowMs = () => database.cpuMs() + cpuMs(controlPlane.process.pid);
  let next = 0;
  // The first round warms up caches and compiled code, and does not count.
  for (let round = 0; round <= ROUNDS; round++)
    for (const [index, [, path]] of reads.entries()) {
      const cpuBeforeMs = cpuNowMs();
      for (let i = 0; i < REQUESTS; i++) {
        const startMs = performance.now();
        await controlPlane.ok("GET", path(asked[(next++ * 37) % asked.length] as Asked));
        if (round > 0) timesMs[index]?.push(performance.now() - startMs);
      }
      if (round > 0) roundCpuMs[index]?.push((cpuNowMs() - cpuBeforeMs) / REQUESTS);
    }
  const p99Ms = timesMs.map((times) =>
    quantile(
      times.sort((a, b) => a - b),
      0.99,
    ),
  );
  const eachCpuMs = roundCpuMs.map(median);
  return reads.map(([title], index) => ({
    read: title,
    "p50 ms": quantile(timesMs[index] ?? [], 0.5),
    "p99 ms": p99Ms[index] as number,
    "p99 ratio": (p99Ms[index] as number) / (p99Ms[0] as number),
    "CPU ms": eachCpuMs[index] as number,
    "CPU ratio": (eachCpuMs[index] as number) / (eachCpuMs[0] as number),
  }));
}
