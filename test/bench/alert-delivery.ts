/**
 * From a failing result to the request at a webhook's receiver: checks that fail evenly over a minute, sent over one
 * stream to a running service with its database, all notified to one channel; once by way of incidents, as webhooks are
 * by default, once alert by alert. Every batch is sent twice, as after a broken stream: each check has to end with one
 * instance, notified once.
 */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { MINUTE_MS } from "@svc/contract";
import { type ControlPlane, startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { until } from "../harness/wait.ts";
import { startAlertReceiver } from "./alert-receiver.ts";
import { openResultStream } from "./bench-agent.ts";
import {
  addAlertRules,
  type BenchDatabase,
  createLoad,
  type LoadCheck,
  openBenchDatabase,
} from "./bench-database.ts";
import { type CpuHogs, type OtherWork, startCpuHogs } from "./cpu-hogs.ts";
import { cpuMs, printTable, quantile, rssMiB } from "./measure.ts";

/** Time after the last failure in which other work goes on at most, ms. */
const OTHER_WORK_AFTER_MS = 45_000;

/** Checks that fail, and how they are notified of. */
interface FailingChecks {
  count: number;
  /** Results of a batch. */
  batchSize: number;
  /** Time within which they fail, ms. Default a minute. */
  withinMs?: number;
  byIncident: boolean;
  /** Other work that begins once everything is made ready, and ends when everybody was notified. Default none. */
  otherWork?: OtherWork;
}

/** 1,000 checks, one result a batch. */
export async function alertLatencyBench(): Promise<void> {
  for (const byIncident of [true, false])
    printTables(await failAll({ count: 1_000, batchSize: 1, byIncident }));
}

/** 10,000 checks, a hundred results a batch. */
export async function alertStormBench(): Promise<void> {
  for (const byIncident of [true, false])
    printTables(await failAll({ count: 10_000, batchSize: 100, byIncident }));
}

/** Busy processes beside the service: as many as make a load average of 25 on two cores. */
const BUSY_PROCESSES = 25;
const OTHER_WORK: [title: string, sessions: number | undefined][] = [
  ["none", undefined],
  [`${BUSY_PROCESSES} busy processes of one other session`, 1],
  [`${BUSY_PROCESSES} of five other sessions`, 5],
  [`${BUSY_PROCESSES} of the service's own session`, 0],
];

/** 500 checks that fail within half a minute, one result a batch, on a quiet machine and on a saturated one. */
export async function alertPressureBench(): Promise<void> {
  const rows = [];
  for (const [title, sessions] of OTHER_WORK)
    for (const byIncident of [true, false]) {
      const measured = await failAll({
        count: 500,
        batchSize: 1,
        withinMs: MINUTE_MS / 2,
        byIncident,
        ...(sessions !== undefined && { otherWork: { processes: BUSY_PROCESSES, sessions } }),
      });
      rows.push({
        "other work": title,
        notified: measured.notified,
        "ready to run, mean": measured.readyToRun,
        "result sent to request received, p50 ms": quantile(measured.lateness, 0.5),
        "p99 ms": quantile(measured.lateness, 0.99),
        "result sent to result stored, p99 ms": quantile(measured.storing, 0.99),
        "notification written to recorded, p50 ms": quantile(measured.delivering, 0.5),
        "p99 ms ": quantile(measured.delivering, 0.99),
        "attempts that failed": measured.failedAttempts,
        "not notified of": measured.count - measured.instancesNotified,
        "notified twice": measured.notifiedTwice,
      });
    }
  printTable(rows);
}

type Measured = Awaited<ReturnType<typeof failAll>>;

async function failAll({ count, batchSize, withinMs = MINUTE_MS, byIncident, otherWork }: FailingChecks) {
  const folder = temporaryFolder();
  const controlPlane = await startControlPlane({ dataDir: folder.path });
  const database = await openBenchDatabase(folder.path);
  const receiver = await startAlertReceiver();
  let hogs: CpuHogs | undefined;
  try {
    const { runnerKey, locationKey, checks } = await createLoad(controlPlane, database, count);
    const channelId = await createChannel(controlPlane, receiver.url, byIncident);
    await addAlertRules(database, checks, [{ type: "consecutive_failures", count: 1 }], [channelId]);
    const stream = await openResultStream({
      port: controlPlane.runnerPort,
      runnerKey,
      runnerUuid: "00000000-0000-4000-8000-000000000001",
    });
    const { pid } = controlPlane.process;
    const idleMiB = rssMiB(pid);
    const cpuBefore = [cpuMs(pid), database.cpuMs()] as const;
    const watching = watchProcess(pid);
    hogs = otherWork && startCpuHogs(otherWork, withinMs + OTHER_WORK_AFTER_MS);
    const { sentAt, storing } = await sendEvenly(stream, checks, { locationKey, batchSize, withinMs });
    const lastSentMs = performance.now();
    await until("every check was notified of", () => receiver.notifiedAt.size === count, {
      withinMs: 300_000,
    }).catch(() => undefined);
    const { mostMiB, readyToRun } = watching.stop();
    await hogs?.stop();
    // A second notification comes soon after the first.
    await delay(3_000);
    stream.close();
    const checkOf = await readChecksOfInstances(database);
    const lateness = [...receiver.notifiedAt]
      .map(([instanceId, atMs]) => atMs - (sentAt.get(checkOf.get(instanceId) ?? "") ?? Number.NaN))
      .sort((a, b) => a - b);
    return {
      count,
      notified: byIncident ? "by incident" : "each alert",
      lateness,
      storing: storing.sort((a, b) => a - b),
      lastAfterLastMs: Math.max(...receiver.notifiedAt.values()) - lastSentMs,
      ...(await readDeliveries(database)),
      instances: await countInstances(database),
      requests: receiver.requests,
      instancesNotified: receiver.notifiedAt.size,
      notifiedTwice: receiver.notifiedTwice,
      idleMiB,
      mostMiB,
      readyToRun,
      serviceCpuMs: (cpuMs(pid) - cpuBefore[0]) / count,
      databaseCpuMs: (database.cpuMs() - cpuBefore[1]) / count,
    };
  } finally {
    await hogs?.stop();
    await receiver.close();
    await database.close();
    await controlPlane.process.stop();
    folder.remove();
  }
}

function printTables(measured: Measured): void {
  printTable([
    {
      "checks that fail": measured.count,
      notified: measured.notified,
      "result sent to request received, p50 ms": quantile(measured.lateness, 0.5),
      "p99 ms": quantile(measured.lateness, 0.99),
      "last ms": measured.lateness.at(-1) ?? Number.NaN,
      "last request after last result, ms": measured.lastAfterLastMs,
    },
  ]);
  printTable([
    {
      ...measured.instances,
      "requests received": measured.requests,
      "instances notified of": measured.instancesNotified,
      "notified twice": measured.notifiedTwice,
      "service RSS MiB, before": measured.idleMiB,
      "at most": measured.mostMiB,
      "service CPU-ms/alert": measured.serviceCpuMs,
      "PostgreSQL CPU-ms/alert": measured.databaseCpuMs,
    },
  ]);
}

interface SendOptions {
  locationKey: number;
  batchSize: number;
  withinMs: number;
}

/**
 * Sends a failure of each check.
 * @returns when the result of each check was sent first, by check id, and how long each batch took to be acknowledged
 */
async function sendEvenly(
  stream: Awaited<ReturnType<typeof openResultStream>>,
  checks: readonly LoadCheck[],
  { locationKey, batchSize, withinMs }: SendOptions,
): Promise<{ sentAt: Map<string, number>; storing: number[] }> {
  const sentAt = new Map<string, number>();
  const startMs = performance.now();
  const acknowledged: Promise<number>[] = [];
  for (let from = 0; from < checks.length; from += batchSize) {
    await delay(Math.max(0, startMs + (from / checks.length) * withinMs - performance.now()));
    const batch = checks.slice(from, from + batchSize);
    const sentMs = performance.now();
    for (const { id } of batch) sentAt.set(id, sentMs);
    for (const _twice of [1, 2])
      acknowledged.push(stream.sendFailures(batch, locationKey).then(() => performance.now() - sentMs));
  }
  return { sentAt, storing: await Promise.all(acknowledged) };
}

async function createChannel(controlPlane: ControlPlane, url: string, byIncident: boolean): Promise<string> {
  const { channel } = await controlPlane.ok<{ channel: { id: string } }>(
    "POST",
    "/api/notification-channels",
    { name: "receiver", channel: { type: "webhook", url } },
  );
  await controlPlane.ok("PUT", `/api/notification-channels/${channel.id}`, {
    incidentSubscribed: byIncident,
  });
  return channel.id;
}

async function readChecksOfInstances({ client }: BenchDatabase): Promise<Map<string, string>> {
  const { rows } = await client.query(
    "SELECT i.id, c.id AS check_id FROM alert_instances i JOIN checks c ON c.key = i.check_key",
  );
  return new Map(rows.map(({ id, check_id }) => [id, check_id]));
}

async function countInstances({ client }: BenchDatabase) {
  const { rows } = await client.query(
    `SELECT count(*)::int AS instances, count(DISTINCT check_key)::int AS checks FROM alert_instances`,
  );
  return { instances: rows[0].instances, "of checks": rows[0].checks };
}

/** Returns how long notifications took from their transaction to the record of their delivery, ms, in order. */
async function readDeliveries({ client }: BenchDatabase) {
  const { rows } = await client.query(
    `SELECT d.status, (extract(epoch FROM d.created_at - n.created_at) * 1000)::float AS after_ms
     FROM notification_deliveries d JOIN notifications n ON n.key = d.notification_key ORDER BY after_ms`,
  );
  return {
    delivering: rows.filter(({ status }) => status === "delivered").map(({ after_ms }) => after_ms as number),
    failedAttempts: rows.filter(({ status }) => status === "failed").length,
  };
}

/** Looks at the process's memory, and at how many processes of the machine are ready to run, until `stop`. */
function watchProcess(pid: number) {
  let mostMiB = 0;
  const ready: number[] = [];
  const timer = setInterval(() => {
    mostMiB = Math.max(mostMiB, rssMiB(pid));
    ready.push(Number(/ (\d+)\//.exec(readFileSync("/proc/loadavg", "utf8"))?.[1]));
  }, 250);
  return {
    stop: () => {
      clearInterval(timer);
      return { mostMiB, readyToRun: ready.reduce((sum, one) => sum + one, 0) / ready.length };
    },
  };
}
