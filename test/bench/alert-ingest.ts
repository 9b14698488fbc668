/**
 * Measures the cost of alert rules at ingest: groups of results stored with five rules per check, beside groups of the
 * same size of checks without rules, in turns, by one connection. Time passes as for checks that run once a minute, so
 * that work that is done by the hour has its share. CPU of this process and of the connection's backend.
 */
import { MINUTE_MS } from "@svc/contract";
import type { Knex } from "knex";
import { pino } from "pino";
import { Registry } from "prom-client";
import { AlertEvaluator } from "../../control-plane/src/alerting/evaluation/evaluator.ts";
import { alertMetrics } from "../../control-plane/src/alerting/metrics.ts";
import { openPool } from "../../control-plane/src/platform/db/pool.ts";
import { emptyColumns } from "../../control-plane/src/results/ingest/columns.ts";
import { type ResultGroup, writeGroup } from "../../control-plane/src/results/ingest/write-group.ts";
import { ensurePartitions } from "../../control-plane/src/results/retention/partitions.ts";
import { startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { addAlertRules, createLoad, type LoadCheck, openBenchDatabase } from "./bench-database.ts";
import { median, printTable, threadCpuUs } from "./measure.ts";

const CHECKS = 10_000;
const MINUTES = 20;

const RULES = [
  [{ type: "consecutive_failures", count: 2 }],
  [{ type: "multi_location_failure", minLocations: 2, windowSeconds: 300 }],
  [{ type: "response_time_threshold", maxMs: 2000 }],
  [{ type: "ssl_expiry", daysBeforeExpiry: 14 }],
  [{ type: "failure_ratio", failures: 3, total: 5 }],
];

export async function alertIngestBench(): Promise<void> {
  const folder = temporaryFolder();
  const controlPlane = await startControlPlane({ dataDir: folder.path });
  const database = await openBenchDatabase(folder.path);
  const knex = openPool(database.url, { poolMax: 1 });
  try {
    const { locationKey, checks } = await createLoad(controlPlane, database, CHECKS);
    const half = CHECKS / 2;
    const [plain, ruled] = [checks.slice(0, half), checks.slice(half)];
    for (const conditions of RULES) await addAlertRules(database, ruled, conditions);
    const rows = [];
    for (const [title, size, failing] of [
      ["groups of 5,000, all succeed", 5_000, 0],
      ["groups of 500, all succeed", 500, 0],
      ["groups of 500, 1 % of the checks fail all the time", 500, 0.01],
    ] as const)
      rows.push({ load: title, ...(await compare(knex, plain, ruled, locationKey, size, failing)) });
    printTable(rows);
  } finally {
    await knex.destroy();
    await database.close();
    await controlPlane.process.stop();
    folder.remove();
  }
}

interface Cost {
  ownUs: number;
  backendUs: number;
}

let nowMs = Date.now() - 20 * 3_600_000;

/** The median of the minutes' ratios, since others use the machine, too. */
async function compare(
  knex: Knex,
  plain: readonly LoadCheck[],
  ruled: readonly LoadCheck[],
  locationKey: number,
  size: number,
  failing: number,
) {
  const evaluator = new AlertEvaluator({
    log: pino({ level: "silent" }),
    nowMs: () => nowMs,
    random: Math.random,
    metrics: alertMetrics(new Registry()),
  });
  await ensurePartitions(knex, nowMs, nowMs + 3 * (MINUTES + 2) * MINUTE_MS);
  const { rows } = await knex.raw("SELECT pg_backend_pid() AS pid");
  const backendPid = rows[0].pid as number;
  const costs = { plain: [] as Cost[], ruled: [] as Cost[] };
  const store = async (checks: readonly LoadCheck[]): Promise<Cost> => {
    const [own, backend] = [process.cpuUsage(), threadCpuUs(backendPid)];
    for (let from = 0; from < checks.length; from += size)
      await writeGroup(knex, groupOf(checks.slice(from, from + size), locationKey, failing), {
        bucketsMs: [],
        consume: evaluator.evaluateStored,
      });
    const { user, system } = process.cpuUsage(own);
    return { ownUs: user + system, backendUs: threadCpuUs(backendPid) - backend };
  };
  for (let minute = -2; minute < MINUTES; minute++) {
    const cost = { plain: await store(plain), ruled: await store(ruled) };
    // Alerts that open, and first evaluations of checks, are over before the measurement begins.
    if (minute >= 0) for (const name of ["plain", "ruled"] as const) costs[name].push(cost[name]);
    nowMs += MINUTE_MS;
  }
  const perResult = (name: keyof typeof costs, part: (cost: Cost) => number) =>
    median(costs[name].map(part)) / plain.length;
  const whole = ({ ownUs, backendUs }: Cost) => ownUs + backendUs;
  return {
    "CPU-us/result: service, no rules": perResult("plain", ({ ownUs }) => ownUs),
    "five rules": perResult("ruled", ({ ownUs }) => ownUs),
    "PostgreSQL, no rules": perResult("plain", ({ backendUs }) => backendUs),
    "with five": perResult("ruled", ({ backendUs }) => backendUs),
    ratio: median(costs.ruled.map((cost, i) => whole(cost) / whole(costs.plain[i] as Cost))),
  };
}

function groupOf(checks: readonly LoadCheck[], locationKey: number, failing: number): ResultGroup {
  const group: ResultGroup = { columns: emptyColumns(), details: [], facts: [] };
  const { columns } = group;
  for (const { key, phaseMs } of checks) {
    const isFailing = failing > 0 && key % Math.round(1 / failing) === 0;
    columns.checkKeys.push(key);
    columns.locationKeys.push(locationKey);
    columns.slotsMs.push(Math.floor(nowMs / MINUTE_MS) * MINUTE_MS + phaseMs);
    columns.runnerKeys.push(1);
    columns.startDelaysMs.push(1);
    columns.elapsedUs.push(3000);
    columns.responseTimeUs.push(2500);
    columns.dnsLookupUs.push(100);
    columns.tcpConnectUs.push(200);
    columns.tlsHandshakeUs.push(-1);
    columns.ttfbUs.push(1500);
    columns.contentTransferUs.push(200);
    columns.httpStatusCodes.push(isFailing ? 503 : 200);
    columns.statuses.push(isFailing ? 2 : 1);
    columns.traceIds.push("07070707-0707-0707-0707-070707070707");
  }
  return group;
}
