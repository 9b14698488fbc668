import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ControlPlane } from "../harness/control-plane.ts";
import { createLocation } from "../harness/fleet.ts";
import { watchNeighbourDuring } from "../harness/pressure.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { createSecondTeam, type SecondTeam } from "../harness/second-team.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";
import { until } from "../harness/wait.ts";

const LOCATION = "loc_us_east";
const ORDINARY_CHECKS = 8;
/** A slot of each ordinary check falls into each phase. */
const PHASE_MS = 11_000;
/** What the other team may cost on an idle machine, ms; on a busy one as many times that as the machine is slower. */
const API_MS_MAX = 250;
const LATENESS_MS_MAX = 250;
const NOTIFICATION_MS_MAX = 1_000;
const CHECK_PERIOD_SECONDS = 10;

/** What the ordinary team saw in a phase, ms. */
interface Phase {
  longestMs: number;
  slowness: number;
  latenessMs: number;
  notificationMs: number;
}

let stack: TestStack;
let controlPlane: ControlPlane;
let database: pg.Client;
let receiver: Receiver<unknown>;
let target: Awaited<ReturnType<typeof startOrdinaryTarget>>;
let hostile: SecondTeam["call"];
/** Paths and ids of checks that have not failed yet: one for each phase. */
const failingChecks: [path: string, checkId: string][] = [];
let privateAgent: { locationId: string; runnerKey: string };
let quiet: Phase;

beforeAll(async () => {
  stack = await startTestStack();
  const { url: databaseUrl } = await stack.database();
  const dataDir = stack.folder();
  const environment = { SVC_EMBEDDED_RUNNER: "true" };
  controlPlane = await stack.controlPlane({ databaseUrl, dataDir, environment });
  database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  receiver = await startReceiver();
  target = await startOrdinaryTarget();
  hostile = createSecondTeam({ controlPlane, databaseUrl, dataDir }).call;
  privateAgent = await createLocation(controlPlane, "private");
  await createOrdinaryChecks();
  await delay(CHECK_PERIOD_SECONDS * 1_000);
  quiet = await measurePhase(async () => {});
});
afterAll(async () => {
  receiver?.close();
  target?.close();
  await database?.end();
  await stack?.[Symbol.asyncDispose]();
});

/** Repeats the work, several at once, until the signal aborts; a refusal is an answer like any other. */
async function repeat(signal: AbortSignal, atOnce: number, work: () => Promise<unknown>): Promise<void> {
  const loop = async () => {
    while (!signal.aborted) await work().catch(() => delay(50));
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
}

const ATTACKS: [name: string, attack: (signal: AbortSignal) => Promise<void>][] = [
  [
    "sixty checks of targets that never answer",
    async () => {
      for (let nth = 0; nth < 60; nth++)
        await hostile("POST", "/api/checks", {
          ...hostileCheck(`hanging ${nth}`, `${target.url}/hang`),
          retry: { strategy: "fixed", maxRetries: 5, baseBackoffSeconds: 1, maxDurationSeconds: 600 },
        });
    },
  ],
  [
    "checks with many rules that open and close",
    async (signal) => {
      const checkId = await createHostileCheck("many rules", `${target.url}/hostile`);
      for (let nth = 0; nth < 60; nth++)
        await hostile("POST", `/api/checks/${checkId}/alerts`, {
          conditions: [{ type: "consecutive_failures", count: 1 + (nth % 5) }],
          channelIds: [],
        });
      await repeat(signal, 1, async () => {
        await hostile("POST", `/api/checks/${checkId}/trigger`, {});
        await delay(500);
      });
    },
  ],
  [
    "templates that are slow to compile",
    async (signal) => {
      const { body } = await hostile("POST", "/api/notification-channels", {
        name: "slow",
        channel: { type: "webhook", url: `${target.url}/hang` },
      });
      const path = `/api/notification-channels/${(body as { channel: { id: string } }).channel.id}`;
      const template = `{{jsonBody ${"(a ".repeat(8_000)}${")".repeat(8_000)}}}`;
      const incidentTemplate = { channelType: "webhook", overrides: { opened: { body: template } } };
      await repeat(signal, 3, async () => {
        await hostile("PUT", path, { incidentTemplate });
        await hostile("POST", `${path}/test`, { eventType: "opened" });
      });
    },
  ],
  [
    "requests without end whose bodies are costly to refuse",
    async (signal) => {
      const longName = { ["x".repeat(500_000)]: 1 };
      const manyNames = Object.fromEntries(Array.from({ length: 60_000 }, (_, nth) => [`k${nth}`, 1]));
      await repeat(signal, 4, async () => {
        await hostile("POST", "/api/checks", longName);
        await hostile("POST", "/api/checks", manyNames);
        await hostile("GET", "/api/events?limit=200");
      });
    },
  ],
  [
    "triggers without end",
    async (signal) => {
      const ids = await Promise.all(
        Array.from({ length: 10 }, (_, nth) => createHostileCheck(`triggered ${nth}`, `${target.url}/hang`)),
      );
      await repeat(signal, 6, () =>
        Promise.all(ids.map((id) => hostile("POST", `/api/checks/${id}/trigger`, {}))),
      );
    },
  ],
  [
    "readers of large lists",
    async (signal) => {
      for (let nth = 0; nth < 15; nth++)
        await hostile("POST", "/api/checks", {
          ...hostileCheck(`large ${nth}`, target.url),
          enabled: false,
          httpConfig: { url: target.url, method: "POST", body: "x".repeat(200_000) },
        });
      await repeat(signal, 10, () => hostile("GET", "/api/checks"));
    },
  ],
  [
    "reads that the database does not answer",
    async (signal) => {
      await database.query("BEGIN");
      // Nobody but the readers of this table waits for it: the ordinary team changes nothing meanwhile.
      await database.query("LOCK TABLE changes IN ACCESS EXCLUSIVE MODE");
      const reading = repeat(signal, 60, () => hostile("GET", "/api/changes"));
      const agent = stack.runner({ key: privateAgent.runnerKey, port: controlPlane.runnerPort });
      await until("an agent that connects now gets a session", async () => {
        const path = `/api/locations/${privateAgent.locationId}/runners`;
        return (await controlPlane.ok<{ runners: unknown[] }>("GET", path)).runners.length === 1;
      });
      expect(agent.output()).not.toMatch(/no session/);
      if (!signal.aborted) await once(signal, "abort");
      // The requests that wait in the team's line are answered now.
      await database.query("ROLLBACK");
      await reading;
    },
  ],
];

test.each(ATTACKS)(
  "%s: another team's answers, slots and notifications are hardly later",
  async (_name, attack) => {
    const phase = await measurePhase(attack);
    const slowness = Math.max(1, phase.slowness);
    const limit = (ofQuiet: number, leastMs: number) => Math.max(2 * ofQuiet, leastMs * slowness);
    const seen = JSON.stringify({ quiet, phase });
    expect(phase.longestMs, seen).toBeLessThan(limit(quiet.longestMs, API_MS_MAX));
    expect(phase.latenessMs, seen).toBeLessThan(limit(quiet.latenessMs, LATENESS_MS_MAX));
    expect(phase.notificationMs, seen).toBeLessThan(limit(quiet.notificationMs, NOTIFICATION_MS_MAX));
  },
);

/** Measures the ordinary team while the attack goes on. */
async function measurePhase(attack: (signal: AbortSignal) => Promise<void>): Promise<Phase> {
  const over = new AbortController();
  const fromMs = Date.now();
  let notificationMs = 0;
  const url = `${controlPlane.url}/api/notification-channels`;
  const watched = await watchNeighbourDuring({ url, apiKey: controlPlane.apiKey }, async () => {
    const attacking = attack(over.signal);
    // A failure is handled below, when the phase is over.
    attacking.catch(() => undefined);
    await delay(1_000);
    notificationMs = await failOne();
    await delay(Math.max(0, fromMs + PHASE_MS - Date.now()));
    over.abort();
    await attacking;
  });
  const { rows } = await database.query<{ late: number }>(
    `SELECT r.start_delay_ms AS late FROM results r JOIN checks c ON c.key = r.check_key
     WHERE c.name LIKE 'ordinary %' AND r.slot_ms >= $1 AND r.slot_ms < $2`,
    [fromMs, fromMs + PHASE_MS],
  );
  // Each check has had a slot; the last ones may be on their way.
  expect(rows.length).toBeGreaterThanOrEqual(ORDINARY_CHECKS / 2);
  return { ...watched, latenessMs: Math.max(...rows.map(({ late }) => late)), notificationMs };
}

/** Lets a further check of the ordinary team fail. Returns the time from the failing answer to the webhook, ms. */
async function failOne(): Promise<number> {
  const [path, checkId] = failingChecks.shift() as [string, string];
  const before = receiver.bodies.length;
  target.fail(path);
  await controlPlane.ok("POST", `/api/checks/${checkId}/trigger`, {});
  const isAbout = (body: unknown) => JSON.stringify(body).includes(checkId);
  await until("the failure is notified of", () => receiver.bodies.slice(before).some(isAbout), {
    everyMs: 5,
  });
  return performance.now() - target.failedAtMs(path);
}

async function createOrdinaryChecks(): Promise<void> {
  const hook = { name: "hook", channel: { type: "webhook", url: receiver.url } };
  const { channel } = await controlPlane.ok<{ channel: { id: string } }>(
    "POST",
    "/api/notification-channels",
    hook,
  );
  for (let nth = 0; nth < ORDINARY_CHECKS; nth++) {
    const { check } = await controlPlane.ok<{ check: { id: string } }>("POST", "/api/checks", {
      name: `ordinary ${nth}`,
      type: "http",
      frequencySeconds: CHECK_PERIOD_SECONDS,
      locations: [LOCATION],
      httpConfig: {
        url: `${target.url}/ordinary-${nth}`,
        timeoutMs: 5_000,
        assertions: [{ type: "status_code", value: 200 }],
      },
    });
    failingChecks.push([`/ordinary-${nth}`, check.id]);
    const conditions = [{ type: "consecutive_failures", count: 1 }];
    await controlPlane.ok("POST", `/api/checks/${check.id}/alerts`, { conditions, channelIds: [channel.id] });
  }
}

function hostileCheck(name: string, url: string) {
  const httpConfig = { url, timeoutMs: 120_000 };
  return { name, type: "http", frequencySeconds: CHECK_PERIOD_SECONDS, locations: [LOCATION], httpConfig };
}

async function createHostileCheck(name: string, url: string): Promise<string> {
  const { status, body } = await hostile("POST", "/api/checks", hostileCheck(name, url));
  expect(status, JSON.stringify(body)).toBe(201);
  return (body as { check: { id: string } }).check.id;
}

/** Answers at once; at /hang never, at /hostile every second time with 503, and at paths that are to fail always so. */
async function startOrdinaryTarget() {
  /** Instants of the first failing answers, monotonic ms, by path; undefined: none yet. */
  const failing = new Map<string, number | undefined>();
  let hostileRequests = 0;
  const server = http.createServer(({ url = "" }, response) => {
    if (url === "/hang") return;
    if (failing.has(url)) failing.set(url, failing.get(url) ?? performance.now());
    const isFailure = url === "/hostile" ? ++hostileRequests % 2 === 0 : failing.has(url);
    response.writeHead(isFailure ? 503 : 200).end("ok");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fail: (path: string) => failing.set(path, undefined),
    failedAtMs: (path: string) => failing.get(path) ?? Number.NaN,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
