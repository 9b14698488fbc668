/** A secret that changes while a hundred runs a second use it: no run fails, and the agent has the new value within a second. */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type ResultStatus, type Secret, statusOfCode } from "@svc/contract";
import knex from "knex";
import { expect, test } from "vitest";
import type { ControlPlane } from "../harness/control-plane.ts";
import { createLocation } from "../harness/fleet.ts";
import type { RunningProcess } from "../harness/process.ts";
import { setUpTestStack } from "../harness/stack-of-test.ts";
import { until } from "../harness/wait.ts";

const stack = setUpTestStack();

/** Checks that run every 10 s: a hundred runs a second. */
const CHECKS = 1_000;
/** Requests at a time that create checks. */
const REQUESTS_AT_ONCE = 8;
const ROTATIONS = 3;
/** Longest time from the request that changes a secret until the agent has the new value, ms. */
const RECEIVED_WITHIN_MS = 1_000;
/** Time between two questions to a process by which its slowness is measured, ms. */
const ASKED_EVERY_MS = 20;

test("a secret changes while a hundred runs a second use it: each has the old or the new value, and none fails", async () => {
  const target = await startRecorder();
  const database = await stack.database();
  const controlPlane = await stack.controlPlane({
    databaseUrl: database.url,
    environment: { SVC_RATE_LIMIT_PER_MINUTE: "1000000" },
    onAnswer: async () => {},
  });
  const { locationId, runnerKey } = await createLocation(controlPlane, "load");
  const { secret } = await controlPlane.ok<{ secret: Secret }>("POST", "/api/secrets", {
    name: "TOKEN",
    value: "value-0",
  });
  await createChecksWithToken(controlPlane, locationId, target.url);
  const runner = stack.runner({
    key: runnerKey,
    port: controlPlane.runnerPort,
    environment: { LOG_LEVEL: "debug" },
  });
  await until("every check runs", () => target.tokens.size === CHECKS, { withinMs: 90_000 });
  const agentUrl = await until("the agent tells its address", () => healthUrlOf(runner));

  for (let rotation = 1; rotation <= ROTATIONS; rotation++) {
    await delay(3_000);
    const slowness = watchSlowness([`${agentUrl}/healthz`, `${controlPlane.url}/readyz`]);
    const requestedAtMs = Date.now();
    await controlPlane.ok("PUT", `/api/secrets/${secret.id}`, { value: `value-${rotation}` });
    const received = await until("the agent has the new value", () =>
      changesIn(runner).find(({ time }) => time >= requestedAtMs),
    );
    const heldUpMs = await slowness.end();
    expect(received.time - requestedAtMs).toBeLessThanOrEqual(RECEIVED_WITHIN_MS + heldUpMs);
    await until(
      "the agent has the new value for every check",
      () =>
        changesIn(runner)
          .filter(({ time }) => time >= requestedAtMs)
          .reduce((sum, { checks }) => sum + checks, 0) >= CHECKS,
    );
  }
  const last = `value-${ROTATIONS}`;
  await until("every check has run with the last value", () =>
    [...target.tokens.values()].every((tokens) => tokens.at(-1) === last),
  );

  // No run of a check goes back to an older value.
  for (const [path, tokens] of target.tokens) expect([path, tokens.toSorted()]).toEqual([path, tokens]);
  const all = [...target.tokens.values()].flat();
  // Each check ran with its first value and with the last.
  expect(all.length).toBeGreaterThanOrEqual(2 * CHECKS);
  const values = Array.from({ length: ROTATIONS + 1 }, (_, number) => `value-${number}`);
  expect([...new Set(all)].sort()).toEqual(values);
  expect(await statusesOf(database.url)).toEqual(["success"]);
}, 300_000);

/** A target that keeps, by path, the tokens of the requests in their order. */
async function startRecorder() {
  const tokens = new Map<string, string[]>();
  const server = http.createServer((request, response) => {
    const path = request.url ?? "/";
    const ofPath = tokens.get(path) ?? [];
    tokens.set(path, [...ofPath, String(request.headers["x-token"])]);
    response.end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stack.atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, tokens };
}

async function createChecksWithToken(controlPlane: ControlPlane, locationId: string, url: string) {
  let number = 0;
  const createNext = async () => {
    while (number < CHECKS) {
      const path = `${url}/${number++}`;
      await controlPlane.ok("POST", "/api/checks", {
        name: path,
        type: "http",
        frequencySeconds: 10,
        locations: [locationId],
        httpConfig: {
          url: path,
          timeoutMs: 30_000,
          headers: { "X-Token": "{{vault.TOKEN}}" },
          assertions: [{ type: "status_code", value: 200 }],
        },
      });
    }
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, createNext));
}

/** A line of the agent's log about a change of its assignment. `time`: Unix ms of the receipt. */
interface ChangeLine {
  time: number;
  checks: number;
  msg: string;
}

function linesOf(runner: RunningProcess): Record<string, unknown>[] {
  return runner
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line));
}

function changesIn(runner: RunningProcess): ChangeLine[] {
  return (linesOf(runner) as unknown as ChangeLine[]).filter(
    ({ msg, checks }) => msg === "assignment changed" && checks > 0,
  );
}

function healthUrlOf(runner: RunningProcess): string | undefined {
  return linesOf(runner).find(({ health }) => health !== undefined)?.health as string | undefined;
}

/** Asks processes until the end; `end` returns for how long they let a question wait in all, ms. */
function watchSlowness(urls: readonly string[]) {
  let hasEnded = false;
  const watches = urls.map(async (url) => {
    let heldUpMs = 0;
    while (!hasEnded) {
      const askedAtMs = performance.now();
      await (await fetch(url)).arrayBuffer();
      heldUpMs += performance.now() - askedAtMs;
      await delay(ASKED_EVERY_MS);
    }
    return heldUpMs;
  });
  return {
    async end(): Promise<number> {
      hasEnded = true;
      return (await Promise.all(watches)).reduce((sum, ms) => sum + ms, 0);
    },
  };
}

/** Returns the statuses that stored results have. */
async function statusesOf(url: string): Promise<ResultStatus[]> {
  const db = knex({ client: "pg", connection: url });
  try {
    const codes: number[] = await db("results").distinct().pluck("status");
    return codes.map(statusOfCode);
  } finally {
    await db.destroy();
  }
}
