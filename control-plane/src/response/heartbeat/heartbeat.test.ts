import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import pino from "pino";
import { Registry } from "prom-client";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Timing } from "../../platform/timing.ts";
import { startHeartbeat } from "./heartbeat.ts";

const MINUTE_MS = 60_000;

function newGate() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** A clock that the test moves, with one timer. */
class OwnTime implements Timing {
  #nowMs = 0;
  #timer: { callback: () => void; atMs: number } | undefined;
  #isWaiting = newGate();

  monotonicMs = () => this.#nowMs;
  setTimer = (callback: () => void, delayMs: number) => {
    this.#timer = { callback, atMs: this.#nowMs + delayMs };
    this.#isWaiting.resolve();
    return () => {
      this.#timer = undefined;
    };
  };

  /** Resolves once a timer is set. */
  untilWaiting = () => this.#isWaiting.promise;

  advance(ms: number): void {
    this.#nowMs += ms;
    if (!this.#timer || this.#timer.atMs > this.#nowMs) return;
    const { callback } = this.#timer;
    this.#timer = undefined;
    this.#isWaiting = newGate();
    callback();
  }
}

let server: Server;
let status = 200;
let paths: string[] = [];
let lines: { msg: string; problem?: string }[] = [];
let registry: Registry;
let fault: string | undefined;
let heartbeat: { close(): Promise<void> } | undefined;
let time: OwnTime;

beforeEach(async () => {
  [status, paths, lines, fault, registry] = [200, [], [], undefined, new Registry()];
  time = new OwnTime();
  server = createServer((request, response) => {
    paths.push(`${request.method} ${request.url}`);
    response.writeHead(status).end("OK");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  await heartbeat?.close();
  server.close();
});

function start(url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ping/s3cret?every=60`) {
  const log = pino({ level: "info" }, { write: (line) => void lines.push(JSON.parse(line)) });
  heartbeat = startHeartbeat({ url, findFault: async () => fault, log, registry, timing: time });
}

const outcomes = async () => {
  const metric = await registry.getSingleMetric("svc_heartbeats_total")?.get();
  return Object.fromEntries(metric?.values.map(({ labels, value }) => [labels.outcome, value]) ?? []);
};

it("requests the switch at once and then once a minute", async () => {
  start();
  await time.untilWaiting();
  time.advance(MINUTE_MS - 1);
  expect(paths).toEqual(["GET /ping/s3cret?every=60"]);
  time.advance(1);
  await time.untilWaiting();
  expect(paths).toHaveLength(2);
  expect(await outcomes()).toEqual({ sent: 2 });
  expect(lines).toEqual([]);
});

it("keeps silent while the service does not do its work, and says why once", async () => {
  fault = "the background jobs stand still";
  start();
  for (let minute = 0; minute < 3; minute++) {
    await time.untilWaiting();
    time.advance(MINUTE_MS);
  }
  await time.untilWaiting();
  expect(paths).toEqual([]);
  expect(await outcomes()).toEqual({ withheld: 4 });
  expect(lines).toMatchObject([{ msg: "no heartbeat", problem: "the background jobs stand still" }]);
  fault = undefined;
  time.advance(MINUTE_MS);
  await time.untilWaiting();
  expect(paths).toHaveLength(1);
  expect(lines.at(-1)).toMatchObject({ msg: "the heartbeat is sent again" });
});

it("says when the switch refuses or can't be reached, without its URL, and goes on", async () => {
  status = 404;
  start();
  await time.untilWaiting();
  expect(lines).toMatchObject([{ problem: "the switch of SVC_HEARTBEAT_URL answered 404" }]);
  server.close();
  server.closeAllConnections();
  time.advance(MINUTE_MS);
  await time.untilWaiting();
  expect(lines.at(-1)?.problem).toMatch(
    /^the switch of SVC_HEARTBEAT_URL can't be reached: (ECONN|UND|Socket)/,
  );
  expect(JSON.stringify(lines)).not.toContain("s3cret");
  expect(await outcomes()).toEqual({ failed: 2 });
});

it("ends at once, also while the switch does not answer", async () => {
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  start(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/`);
  await once(silent, "request");
  await heartbeat?.close();
  silent.close();
  silent.closeAllConnections();
  expect(await outcomes()).toEqual({});
});
