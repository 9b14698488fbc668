/**
 * Live updates: CPU of control plane and PostgreSQL together for one viewer of 10,000 checks at three locations, and for 1,000
 * viewers of one team while 20 checks change in a second; the time from a commit to the event at the client, on the replica that
 * stored the result and on another; and ingest with and without a viewer, in turns.
 */
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "@svc/contract";
import { hashToken, keyPrefixOf, newKey } from "../../control-plane/src/accounts/identity/tokens.ts";
import { type ControlPlane, startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { openResultStream, sendResults } from "./bench-agent.ts";
import {
  type BenchDatabase,
  createLoad,
  fillResults,
  type LoadCheck,
  openBenchDatabase,
} from "./bench-database.ts";
import { cpuMs, median, printTable, quantile } from "./measure.ts";

const CHECKS = 10_000;
const VIEWERS = 1_000;
const VIEWERS_PER_KEY = 20;
const CHANGES_PER_SECOND = 20;
const SAMPLES = 200;
const INGEST_ROUNDS = 4;
const INGEST_COUNT = 60_000;

interface Bench {
  controlPlane: ControlPlane;
  database: BenchDatabase;
  checks: readonly LoadCheck[];
  locationKey: number;
  runnerKey: string;
}

interface Viewer {
  /** When each check was named by a `states` event, ms of this process's clock. */
  seenAt: Map<string, number>;
  events: () => number;
  close(): void;
}

export async function liveBench(): Promise<void> {
  const folder = temporaryFolder();
  const controlPlane = await startControlPlane({
    dataDir: folder.path,
    environment: { SVC_RATE_LIMIT_PER_MINUTE: "1000000" },
  });
  const database = await openBenchDatabase(folder.path);
  try {
    const load = await createLoad(controlPlane, database, CHECKS);
    const bench: Bench = { controlPlane, database, ...load };
    await runAtThreeLocations(bench);
    await measureCpu(bench);
    await measureLatency(bench);
    await measureIngest(bench);
  } finally {
    await database.close();
    await controlPlane.process.stop();
    folder.remove();
  }
}

/** Lets every check run at two more locations, with some results at each. */
async function runAtThreeLocations({ controlPlane, database, checks, locationKey }: Bench): Promise<void> {
  for (const name of ["bench-2", "bench-3"]) await controlPlane.ok("POST", "/api/locations", { name });
  const { client } = database;
  await client.query(
    "UPDATE checks SET location_ids = (SELECT array_agg(id) FROM locations WHERE name LIKE 'bench%')",
  );
  await client.query(
    "UPDATE check_revisions SET location_keys = (SELECT array_agg(key) FROM locations WHERE name LIKE 'bench%')",
  );
  await client.query("NOTIFY svc_changes, 'checks'");
  const { rows } = await client.query<{ key: number }>("SELECT key FROM locations WHERE name LIKE 'bench%'");
  for (const { key } of rows)
    await fillResults(database, checks, key, Date.now() - 3_600_000, {
      count: (key === locationKey ? 40 : 10) * CHECKS,
      order: "by slot",
    });
}

async function measureCpu(bench: Bench): Promise<void> {
  await bench.database.client.query("VACUUM ANALYZE results");
  await sleep(10_000);
  const idle = await cpuShare(bench, 20_000);
  const one = await openViewer(bench, bench.controlPlane.apiKey);
  await sleep(5_000);
  const withOne = await cpuShare(bench, 62_000);
  one.close();
  const keys = await addKeys(bench, VIEWERS / VIEWERS_PER_KEY);
  const viewers: Viewer[] = [];
  for (const key of keys)
    viewers.push(
      ...(await Promise.all(Array.from({ length: VIEWERS_PER_KEY }, () => openViewer(bench, key)))),
    );
  await sleep(3_000);
  const changing = new AbortController();
  const changes = changeChecks(bench, changing.signal);
  const eventsBefore = viewers.reduce((sum, viewer) => sum + viewer.events(), 0);
  const withMany = await cpuShare(bench, 30_000);
  const events = viewers.reduce((sum, viewer) => sum + viewer.events(), 0) - eventsBefore;
  changing.abort();
  await changes;
  for (const viewer of viewers) viewer.close();
  printTable([
    { viewers: "none", "% of a core": idle, "beyond none": 0, "events/s": 0 },
    { viewers: "one, nothing changes", "% of a core": withOne, "beyond none": withOne - idle, "events/s": 0 },
    {
      viewers: `${VIEWERS}, ${CHANGES_PER_SECOND} checks change a second`,
      "% of a core": withMany,
      "beyond none": withMany - idle,
      "events/s": events / 30,
    },
  ]);
}

/** Measures both ways of a failure, each check once. */
async function measureLatency(bench: Bench): Promise<void> {
  const { checks, locationKey, controlPlane, runnerKey } = bench;
  const viewer = await openViewer(bench, controlPlane.apiKey);
  const committedAt = new Map<string, number>();
  const latencies = async (of: readonly LoadCheck[]) => {
    await sleep(5_000);
    return of
      .map(({ id }) => (viewer.seenAt.get(id) ?? Number.POSITIVE_INFINITY) - (committedAt.get(id) ?? 0))
      .sort((a, b) => a - b);
  };
  const elsewhere = checks.slice(1_000, 1_000 + SAMPLES);
  for (const check of elsewhere) {
    await storeElsewhere(bench, [check], "failure");
    committedAt.set(check.id, performance.now());
    await sleep(47);
  }
  const ofOthers = await latencies(elsewhere);
  const here = checks.slice(2_000, 2_000 + SAMPLES);
  const stream = await openResultStream({
    port: controlPlane.runnerPort,
    runnerKey,
    runnerUuid: "00000000-0000-4000-8000-000000000100",
  });
  for (const check of here) {
    await stream.sendFailures([check], locationKey);
    committedAt.set(check.id, performance.now());
    await sleep(47);
  }
  const ofOwn = await latencies(here);
  stream.close();
  viewer.close();
  const row = (replica: string, sorted: number[]) => ({
    "stored by": replica,
    "p50 ms": quantile(sorted, 0.5),
    "p99 ms": quantile(sorted, 0.99),
    "largest ms": sorted.at(-1) ?? Number.NaN,
  });
  console.log("\nfrom the commit of a failure to the event at the client");
  printTable([row("this replica", ofOwn), row("another replica", ofOthers)]);
}

async function measureIngest(bench: Bench): Promise<void> {
  const { controlPlane, database, checks, locationKey, runnerKey } = bench;
  const costs = { without: [] as number[], with: [] as number[] };
  let round = 0;
  const ingest = async () => {
    const before = cpuMs(controlPlane.process.pid) + database.cpuMs();
    const rejected = await sendResults(
      {
        port: controlPlane.runnerPort,
        runnerKey,
        runnerUuid: `00000000-0000-4000-8000-0000000002${String(round).padStart(2, "0")}`,
      },
      checks,
      locationKey,
      Date.now() - 7_200_000 - round++ * 100_000,
      INGEST_COUNT,
    );
    if (rejected > 0) throw new Error(`${rejected} results were rejected`);
    return ((cpuMs(controlPlane.process.pid) + database.cpuMs() - before) * 1_000) / INGEST_COUNT;
  };
  await ingest();
  for (let i = 0; i < INGEST_ROUNDS; i++) {
    costs.without.push(await ingest());
    const viewer = await openViewer(bench, controlPlane.apiKey);
    costs.with.push(await ingest());
    viewer.close();
    // The hub stays for a while after its last viewer.
    await sleep(11_000);
  }
  const [without, withOne] = [median(costs.without), median(costs.with)];
  console.log("\ningest, CPU of control plane and PostgreSQL");
  printTable([
    { viewers: "none", "CPU-us a result": without, ratio: 1 },
    { viewers: "one", "CPU-us a result": withOne, ratio: withOne / without },
  ]);
}

/** Returns the CPU that control plane and PostgreSQL use in a time, as percent of a core. */
async function cpuShare({ controlPlane, database }: Bench, durationMs: number): Promise<number> {
  const usedMs = () => cpuMs(controlPlane.process.pid) + database.cpuMs();
  const [before, startMs] = [usedMs(), performance.now()];
  await sleep(durationMs);
  return (100 * (usedMs() - before)) / (performance.now() - startMs);
}

/** Changes the state of some checks each second, as another replica stores results, until the signal aborts. */
async function changeChecks(bench: Bench, signal: AbortSignal): Promise<void> {
  for (let round = 0; !signal.aborted; round++) {
    const changed = bench.checks.slice(0, CHANGES_PER_SECOND);
    await storeElsewhere(bench, changed, round % 2 === 0 ? "failure" : "success");
    await sleep(1_000, undefined, { signal }).catch(() => undefined);
  }
}

function storeElsewhere(
  { database, locationKey }: Bench,
  checks: readonly LoadCheck[],
  status: "success" | "failure",
): Promise<unknown> {
  return database.client.query(
    `INSERT INTO results (check_key, location_key, slot_ms, runner_key, start_delay_ms, elapsed_us, response_time_us, status)
     SELECT key, $2, $3, 1, 1, 3000, 2500, $4 FROM unnest($1::bigint[]) key`,
    [checks.map(({ key }) => key), locationKey, Date.now(), status === "success" ? 1 : 2],
  );
}

/** Adds API keys to the team. Returns them. */
async function addKeys({ database }: Bench, count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, () => newKey("sk_"));
  for (const key of keys)
    await database.client.query(
      `INSERT INTO api_keys (id, team_id, name, key_prefix, key_hash, source)
       SELECT $1, team_id, 'bench', $2, $3, 'manual' FROM api_keys LIMIT 1`,
      [newId("apiKey"), keyPrefixOf(key), hashToken(key)],
    );
  return keys;
}

/** Opens a stream. Resolves once it has begun. */
function openViewer({ controlPlane }: Bench, apiKey: string): Promise<Viewer> {
  const seenAt = new Map<string, number>();
  let events = 0;
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const request = http.get(`${controlPlane.url}/api/live`, { headers, agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`/api/live answered ${response.statusCode}`));
      response.setEncoding("utf8");
      response.on("error", () => undefined);
      response.on("data", (text: string) => {
        if (events === 0) resolve({ seenAt, events: () => events, close: () => request.destroy() });
        events += text.split("\nevent: ").length - 1;
        for (const [, id = ""] of text.matchAll(/"checkId":"(\w+)"/g))
          if (!seenAt.has(id)) seenAt.set(id, performance.now());
      });
    });
    request.on("error", reject);
  });
}
