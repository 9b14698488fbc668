/**
 * From a failing result to the request at a webhook's receiver: checks that fail evenly over a minute, sent over one
 * stream to a running service with its database, all notified to one channel; once by way of incidents, as webhooks are
 * by default, once alert by alert. Every batch is sent twice, as after a broken stream: each check has to end with one
 * instance, notified once.
 */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { MINUTE_MS } from "@svc/contract";
import { type ControlPlane, startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { until } from "../harness/wait.ts";
import { openResultStream } from "./bench-agent.ts";
import {
  addAlertRules,
  type BenchDatabase,
  createLoad,
  type LoadCheck,
  openBenchDatabase,
} from "./bench-database.ts";
import { cpuMs, printTable, quantile, rssMiB } from "./measure.ts";

/** 1,000 checks, one result a batch. */
export async function alertLatencyBench(): Promise<void> {
  await failAll(1_000, 1, true);
  await failAll(1_000, 1, false);
}

/** 10,000 checks, a hundred results a batch. */
export async function alertStormBench(): Promise<void> {
  await failAll(10_000, 100, true);
  await failAll(10_000, 100, false);
}

async function failAll(count: number, batchSize: number, byIncident: boolean): Promise<void> {
  const folder = temporaryFolder();
  const controlPlane = await startControlPlane({ dataDir: folder.path });
  const database = await openBenchDatabase(folder.path);
  const receiver = await startReceiver();
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
    const memory = watchMemory(pid);
    const sentAt = await sendOverAMinute(stream, checks, locationKey, batchSize);
    const lastSentMs = performance.now();
    await until("every check was notified of", () => receiver.notifiedAt.size === count, {
      withinMs: 300_000,
    }).catch(() => undefined);
    // A second notification comes soon after the first.
    await delay(3_000);
    stream.close();
    const checkOf = await readChecksOfInstances(database);
    const lateness = [...receiver.notifiedAt]
      .map(([instanceId, atMs]) => atMs - (sentAt.get(checkOf.get(instanceId) ?? "") ?? Number.NaN))
      .sort((a, b) => a - b);
    printTable([
      {
        "checks that fail": count,
        notified: byIncident ? "by incident" : "each alert",
        "result sent to request received, p50 ms": quantile(lateness, 0.5),
        "p99 ms": quantile(lateness, 0.99),
        "last ms": lateness.at(-1) ?? Number.NaN,
        "last request after last result, ms": Math.max(...receiver.notifiedAt.values()) - lastSentMs,
      },
    ]);
    printTable([
      {
        ...(await countInstances(database)),
        "requests received": receiver.requests,
        "instances notified of": receiver.notifiedAt.size,
        "notified twice": receiver.notifiedTwice,
        "service RSS MiB, before": idleMiB,
        "at most": memory.stop(),
        "service CPU-ms/alert": (cpuMs(pid) - cpuBefore[0]) / count,
        "PostgreSQL CPU-ms/alert": (database.cpuMs() - cpuBefore[1]) / count,
      },
    ]);
  } finally {
    await receiver.close();
    await database.close();
    await controlPlane.process.stop();
    folder.remove();
  }
}

/** @returns when the result of each check was sent first, by check id */
async function sendOverAMinute(
  stream: Awaited<ReturnType<typeof openResultStream>>,
  checks: readonly LoadCheck[],
  locationKey: number,
  batchSize: number,
): Promise<Map<string, number>> {
  const sentAt = new Map<string, number>();
  const startMs = performance.now();
  const acknowledged: Promise<void>[] = [];
  for (let from = 0; from < checks.length; from += batchSize) {
    await delay(Math.max(0, startMs + (from / checks.length) * MINUTE_MS - performance.now()));
    const batch = checks.slice(from, from + batchSize);
    for (const { id } of batch) sentAt.set(id, performance.now());
    for (const _twice of [1, 2]) acknowledged.push(stream.sendFailures(batch, locationKey));
  }
  await Promise.all(acknowledged);
  return sentAt;
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

/** A webhook's other side, as fast as can be. */
async function startReceiver() {
  /** By alert instance. */
  const notifiedAt = new Map<string, number>();
  const state = { requests: 0, notifiedTwice: 0 };
  const server = http.createServer(async (request, response) => {
    const atMs = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.end("ok");
    state.requests++;
    for (const instanceId of instancesBegun(JSON.parse(Buffer.concat(chunks).toString())))
      if (notifiedAt.has(instanceId)) state.notifiedTwice++;
      else notifiedAt.set(instanceId, atMs);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(state, {
    notifiedAt,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  });
}

/** The alerts whose beginning a body tells, of either shape. */
function instancesBegun(body: {
  alert?: { id: string };
  event?: {
    eventType: string;
    payload: { memberAlertInstanceIds: string[]; attachedAlertInstanceIds?: string[] };
  };
}): string[] {
  if (body.alert) return [body.alert.id];
  if (body.event?.eventType === "opened") return body.event.payload.memberAlertInstanceIds;
  return body.event?.payload.attachedAlertInstanceIds ?? [];
}

/** Looks at the process's memory while it works. `stop` tells the most, MiB. */
function watchMemory(pid: number) {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, rssMiB(pid));
  }, 250);
  return {
    stop: () => {
      clearInterval(timer);
      return most;
    },
  };
}
