/**
 * One hostile team beside an ordinary one, on one service with one agent: how much later the ordinary team's answers,
 * slots and notifications come while the other one is at its maximum, as ratios to a quiet phase of the same run.
 */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type ControlPlane, ROOT, startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { startReceiver } from "../harness/receiver.ts";
import { until } from "../harness/wait.ts";
import { type BenchDatabase, openBenchDatabase } from "./bench-database.ts";
import { printTable, quantile, rssMiB } from "./measure.ts";

const PHASE_MS = 45_000;
/** Time in which the checks of a phase begin to run before it is measured. */
const WARM_UP_MS = 15_000;
const ORDINARY_CHECKS = 20;
const FAILING_CHECKS = 4;
const HANGING_CHECKS = 300;
const API_INTERVAL_MS = 100;
const LOCATION = "loc_us_east";

/** Measurements of the ordinary team in one phase. */
interface Measured {
  api: number[];
  lateness: number[];
  notified: number[];
  slotsMissing: number;
  serviceMiB: number;
}

/** Something that a hostile team does until the signal aborts. */
type Attack = (hostile: Team, signal: AbortSignal) => Promise<void>;

/** A team's calls of the API. */
interface Team {
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
}

export async function neighboursBench(): Promise<void> {
  const folder = temporaryFolder();
  const environment = { SVC_EMBEDDED_RUNNER: "true" };
  const controlPlane = await startControlPlane({ dataDir: folder.path, environment });
  const database = await openBenchDatabase(folder.path);
  const target = await startTarget();
  const receiver = await startReceiver<{ event?: { eventType: string } }>();
  try {
    const hostile = hostileTeam(controlPlane, folder.path);
    await createOrdinaryTeam(controlPlane, target.url, receiver.url);
    const phases: [string, Attack | undefined][] = [
      ["quiet", undefined],
      ["300 checks of targets that never answer", (team) => hangingChecks(team, target.url)],
      ["and the API at its limit, with bad bodies", floodApi],
      ["and templates that are slow to compile", (team, signal) => slowTemplates(team, receiver.url, signal)],
    ];
    const ended = new AbortController();
    const attacks: Promise<void>[] = [];
    const rows: Record<string, string | number>[] = [];
    let quiet: Measured | undefined;
    for (const [phase, attack] of phases) {
      if (attack) attacks.push(attack(hostile, ended.signal));
      await delay(WARM_UP_MS);
      const measured = await measure(controlPlane, database, { target, receiver });
      quiet ??= measured;
      rows.push(rowOf(phase, measured, quiet));
    }
    ended.abort();
    await Promise.allSettled(attacks);
    printTable(rows);
  } finally {
    receiver.close();
    await target.close();
    await database.close();
    await controlPlane.process.stop();
    folder.remove();
  }
}

function rowOf(phase: string, measured: Measured, quiet: Measured): Record<string, string | number> {
  const p99 = (values: readonly number[]) =>
    quantile(
      values.toSorted((a, b) => a - b),
      0.99,
    );
  const times = (pick: (of: Measured) => readonly number[]) => p99(pick(measured)) / p99(pick(quiet));
  return {
    "the other team": phase,
    "API p99 ms": p99(measured.api),
    "x quiet": times(({ api }) => api),
    "lateness p99 ms": p99(measured.lateness),
    "x quiet ": times(({ lateness }) => lateness),
    "failure to notification, largest ms": Math.max(...measured.notified),
    "slots missing": measured.slotsMissing,
    "service RSS MiB": measured.serviceMiB,
  };
}

/** Measures the ordinary team for a phase: its API all the time, its slots, and one failure that has to be notified of. */
async function measure(
  controlPlane: ControlPlane,
  { client }: BenchDatabase,
  { target, receiver }: { target: Target; receiver: { bodies: { event?: { eventType: string } }[] } },
): Promise<Measured> {
  const fromMs = Date.now();
  const api: number[] = [];
  const notified: number[] = [];
  const ending = performance.now() + PHASE_MS;
  const watching = watchNotification();
  while (performance.now() < ending) {
    const startMs = performance.now();
    await controlPlane.call("GET", "/api/notification-channels");
    api.push(performance.now() - startMs);
    await delay(API_INTERVAL_MS);
  }
  await watching;
  const { rows } = await client.query<{ late: number }>(
    `SELECT r.start_delay_ms AS late FROM results r JOIN checks c ON c.key = r.check_key
     WHERE c.name LIKE 'ordinary %' AND r.slot_ms >= $1 AND r.slot_ms < $2`,
    [fromMs, fromMs + PHASE_MS - 10_000],
  );
  const expected = Math.floor((PHASE_MS - 10_000) / 10_000) * ORDINARY_CHECKS;
  return {
    api,
    lateness: rows.map(({ late }) => late),
    notified,
    slotsMissing: Math.max(0, expected - rows.length),
    serviceMiB: rssMiB(controlPlane.process.pid),
  };

  /** Lets some checks fail, waits until each incident event has come, and lets them recover. */
  async function watchNotification(): Promise<void> {
    const before = receiver.bodies.length;
    target.failedAtMs = undefined;
    target.isFailing = true;
    await until("a failure was notified of", () => receiver.bodies.length > before, {
      withinMs: PHASE_MS,
      everyMs: 5,
    }).catch(() => undefined);
    notified.push(performance.now() - (target.failedAtMs ?? Number.NaN));
    target.isFailing = false;
  }
}

async function createOrdinaryTeam(
  controlPlane: ControlPlane,
  targetUrl: string,
  hookUrl: string,
): Promise<void> {
  const { channel } = await controlPlane.ok<{ channel: { id: string } }>(
    "POST",
    "/api/notification-channels",
    {
      name: "hook",
      channel: { type: "webhook", url: hookUrl },
    },
  );
  for (let i = 0; i < ORDINARY_CHECKS; i++) {
    const path = i < FAILING_CHECKS ? "sometimes" : "fine";
    const { check } = await controlPlane.ok<{ check: { id: string } }>("POST", "/api/checks", {
      name: `ordinary ${i}`,
      type: "http",
      frequencySeconds: 10,
      locations: [LOCATION],
      httpConfig: {
        url: `${targetUrl}/${path}`,
        timeoutMs: 5000,
        assertions: [{ type: "status_code", value: 200 }],
      },
    });
    await controlPlane.ok("POST", `/api/checks/${check.id}/alerts`, {
      conditions: [{ type: "consecutive_failures", count: 1 }],
      channelIds: [channel.id],
    });
  }
}

/** Makes the second team by the operator's command and returns its calls. */
function hostileTeam(controlPlane: ControlPlane, dataDir: string): Team {
  const words = ["teams", "create", "--name", "Hostile", "--owner-email", "h@example.com", "--api-key"];
  const printed = execFileSync(process.execPath, [join(ROOT, "control-plane/dist/main.js"), ...words], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SVC_DATA_DIR: dataDir },
    encoding: "utf8",
  });
  const key = /sk_[0-9a-f]{64}/.exec(printed)?.[0] ?? "";
  return {
    async call(method, path, body) {
      const response = await fetch(controlPlane.url + path, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json().catch(() => undefined) };
    },
  };
}

async function hangingChecks(team: Team, targetUrl: string): Promise<void> {
  for (let i = 0; i < HANGING_CHECKS; i++) {
    const { status } = await team.call("POST", "/api/checks", {
      name: `hanging ${i}`,
      type: "http",
      frequencySeconds: 10,
      locations: [LOCATION],
      retry: { strategy: "fixed", maxRetries: 5, baseBackoffSeconds: 1, maxDurationSeconds: 600 },
      httpConfig: { url: `${targetUrl}/hang`, timeoutMs: 120_000 },
    });
    if (status !== 201) throw new Error(`a hanging check was answered ${status}`);
  }
}

/** Asks for everything and sends bodies that are costly to refuse, four at once. */
async function floodApi(team: Team, signal: AbortSignal): Promise<void> {
  const unknownName = JSON.stringify({ ["x".repeat(500_000)]: 1 });
  const unknownNames = JSON.stringify(
    Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${i}`, 1])),
  );
  const loop = async () => {
    while (!signal.aborted) {
      await team.call("GET", "/api/checks");
      await team.call("POST", "/api/checks", unknownName);
      await team.call("POST", "/api/checks", unknownNames);
      await team.call("GET", "/api/events?limit=200");
    }
  };
  await Promise.all(Array.from({ length: 4 }, loop));
}

async function slowTemplates(team: Team, hookUrl: string, signal: AbortSignal): Promise<void> {
  const { body } = await team.call("POST", "/api/notification-channels", {
    name: "slow",
    channel: { type: "webhook", url: hookUrl.replace(/\/?$/, "/hostile") },
  });
  const { channel } = body as { channel: { id: string } };
  const template = "{{#if title}}N{{/if}}".repeat(3_000);
  while (!signal.aborted) {
    await team.call("PUT", `/api/notification-channels/${channel.id}`, {
      incidentTemplate: { channelType: "webhook", overrides: { opened: { body: template } } },
    });
    await team.call("POST", `/api/notification-channels/${channel.id}/test`, { eventType: "opened" });
    await delay(20);
  }
}

interface Target {
  url: string;
  isFailing: boolean;
  /** Monotonic ms of the first failing answer since it was cleared. */
  failedAtMs: number | undefined;
  close(): Promise<void>;
}

/** Answers at once, hangs for ever below /hang, and answers 503 below /sometimes while it is failing. */
async function startTarget(): Promise<Target> {
  const server = http.createServer((request, response) => {
    if (request.url === "/hang") return;
    const isFailure = request.url === "/sometimes" && target.isFailing;
    if (isFailure) target.failedAtMs ??= performance.now();
    response.writeHead(isFailure ? 503 : 200).end("ok");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const target: Target = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isFailing: false,
    failedAtMs: undefined,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return target;
}
