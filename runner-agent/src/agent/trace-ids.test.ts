/** The trace ids of an agent's runs: those that its target gets are those that it reports. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CheckId, LocationId } from "@svc/contract";
import { traceIdOfRun } from "@svc/contract/trace-id";
import { runProbe } from "@svc/probes";
import { pino } from "pino";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type AgentStream, answerPolitely, FakeControlPlane } from "../../test-support/fake-control-plane.ts";
import { until } from "../../test-support/until.ts";
import { parseConfig } from "../base/config.ts";
import { startAgent } from "../start-agent.ts";

const LOCATION_IDS = ["loc_us_east", "loc_eu_central"] as LocationId[];
/** A location that the Welcome names nowhere, as no control plane would do it. */
const UNKNOWN_LOCATION_KEY = 9;

let folder: string;
let target: Server;
/** Trace ids that the target got, by path. */
let seen: Map<string, string>;
const cleanups: (() => unknown)[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-agent-"));
  seen = new Map();
  target = createServer(({ url = "", headers }, response) => {
    seen.set(url, String(headers.traceparent).slice(3, 35));
    response.end();
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  target.close();
  rmSync(folder, { recursive: true, force: true });
});

const checkIdOf = (key: number) => `chk_${key}` as CheckId;

/** A check with a slot each hour, of which the one of `slotMs` is due. */
function aCheck(key: number, slotMs: number) {
  return {
    checkKey: BigInt(key),
    checkId: checkIdOf(key),
    type: "http",
    configJson: JSON.stringify({ url: `http://127.0.0.1:${(target.address() as AddressInfo).port}/${key}` }),
    frequencySeconds: 3_600,
    phaseMs: slotMs % 3_600_000,
    revision: 1n,
  };
}

/** A control plane that sends `begin` after its Welcome, acknowledges results, and takes the checks of an agent that drains away. */
async function aControlPlane(begin: (stream: AgentStream) => void, port = 0) {
  const plane = await FakeControlPlane.start({
    port,
    onMessage: (stream, request) => {
      const { message } = request;
      if (message.case === "hello") {
        const { agentSentAtMs } = message.value;
        const value = {
          ...{ agentSentAtMs, serverTimeMs: BigInt(Date.now()), heartbeatIntervalMs: 1000, leaseMs: 15_000 },
          ...{ graceMs: 60_000, runnerId: "run_test" },
          locations: LOCATION_IDS.map((locationId, index) => ({ locationKey: index + 1, locationId })),
        };
        stream.send({ case: "welcome", value });
        begin(stream);
      } else if (message.case === "resultBatch")
        stream.send({ case: "ack", value: { seq: message.value.seq } });
      else answerPolitely(stream, request);
      if (message.case === "heartbeat" && message.value.draining)
        stream.send({
          case: "delta",
          value: { unassignments: [1, 2].map((key) => ({ checkKey: BigInt(key), locationKey: key })) },
        });
    },
  });
  cleanups.push(() => plane.stop());
  return plane;
}

async function anAgent(url: string) {
  const config = parseConfig({
    SVC_RUNNER_KEY: `rk_${"c".repeat(64)}`,
    SVC_CONTROL_PLANE_URL: url,
    SVC_RUNNER_DATA_DIR: folder,
  });
  const log = pino({ level: "silent" });
  const agent = await startAgent({ config, log, probe: runProbe, capabilities: ["http"] });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= agent.stop();
    return stopped;
  };
  cleanups.push(stop);
  return { stop };
}

/** Returns the reported trace ids by check key and location key. */
function reported(plane: FakeControlPlane): Map<string, string> {
  const ids = new Map<string, string>();
  for (const { checkKeys, locationKeys, traceIds } of plane.streams.flatMap((stream) =>
    stream.messages("resultBatch"),
  ))
    checkKeys.forEach((checkKey, row) => {
      const id = Buffer.from(traceIds.subarray(16 * row, 16 * (row + 1))).toString("hex");
      ids.set(`${checkKey}@${locationKeys[row]}`, id);
    });
  return ids;
}

it("follow from check, location and slot, whoever of several locations runs them, also when a run was dispatched", async () => {
  const slotMs = Date.now() - 5_000;
  const plane = await aControlPlane((stream) => {
    const assignments = [1, 2].map((locationKey) => ({
      ...{ checkKey: BigInt(locationKey), locationKey },
      effectiveFromMs: BigInt(slotMs - 1_000),
    }));
    const checks = [aCheck(1, slotMs), aCheck(2, slotMs)];
    stream.send({ case: "snapshot", value: { checks, assignments, last: true } });
    stream.send({
      case: "runNow",
      value: { check: aCheck(3, slotMs), locationKey: 2, slotMs: BigInt(slotMs) },
    });
  });
  await anAgent(plane.url);
  await until(() => reported(plane).size === 3, "the results");
  const idOf = (key: number, locationKey: number) =>
    traceIdOfRun({
      checkId: checkIdOf(key),
      locationId: LOCATION_IDS[locationKey - 1] as LocationId,
      slotMs,
    });
  expect(Object.fromEntries(reported(plane))).toEqual({
    "1@1": idOf(1, 1),
    "2@2": idOf(2, 2),
    "3@2": idOf(3, 2),
  });
  expect(Object.fromEntries(seen)).toEqual({ "/1": idOf(1, 1), "/2": idOf(2, 2), "/3": idOf(3, 2) });
});

it("are random where the location is not known, and for a test run", async () => {
  const slotMs = Date.now() - 5_000;
  const plane = await aControlPlane((stream) => {
    stream.send({ case: "snapshot", value: { last: true } });
    const value = { check: aCheck(1, slotMs), locationKey: UNKNOWN_LOCATION_KEY, slotMs: BigInt(slotMs) };
    stream.send({ case: "runNow", value });
    const beginByMs = BigInt(Date.now() + 60_000);
    stream.send({
      case: "testRun",
      value: { testRunId: "trun_1", check: aCheck(2, 0), locationKey: 1, beginByMs },
    });
  });
  await anAgent(plane.url);
  const testRuns = () =>
    plane.stream
      .messages("testRunReport")
      .flatMap(({ report }) => (report.case === "result" ? [report.value] : []));
  await until(() => reported(plane).size === 1 && testRuns().length === 1, "the results");
  expect(reported(plane).get(`1@${UNKNOWN_LOCATION_KEY}`)).toBe(seen.get("/1"));
  const [testRun] = testRuns();
  expect(Buffer.from(testRun?.traceIds ?? []).toString("hex")).toBe(seen.get("/2"));
  const nowMs = Date.now();
  const derived = new Set<string>();
  for (const locationId of LOCATION_IDS)
    for (const checkId of [checkIdOf(1), checkIdOf(2)])
      for (let ms = slotMs; ms <= nowMs; ms++) derived.add(traceIdOfRun({ checkId, locationId, slotMs: ms }));
  for (const id of seen.values()) expect(derived.has(id)).toBe(false);
});

it("follow from the run also when the agent is started again without a control plane", async () => {
  const slotMs = Date.now() - 5_000;
  // The agent runs the slot after its start only, since it does not remember then that the slot was done.
  const assignment = { checkKey: 2n, locationKey: 2, doneSlotsMs: [BigInt(slotMs)] };
  const first = await aControlPlane((stream) =>
    stream.send({
      case: "snapshot",
      value: {
        checks: [aCheck(2, slotMs)],
        assignments: [{ ...assignment, effectiveFromMs: BigInt(slotMs - 1_000) }],
        last: true,
      },
    }),
  );
  const { port, url } = first;
  const before = await anAgent(url);
  await until(() => first.streams.length === 1 && first.stream.messages("heartbeat").length > 0, "a session");
  await before.stop();
  await first.stop();
  await anAgent(url);
  await until(() => seen.has("/2"), "the run");
  const again = await aControlPlane(
    (stream) => stream.send({ case: "snapshot", value: { last: true } }),
    port,
  );
  await until(() => reported(again).size === 1, "the result");
  const [locationId] = LOCATION_IDS.slice(1) as [LocationId];
  const expected = traceIdOfRun({ checkId: checkIdOf(2), locationId, slotMs });
  expect([seen.get("/2"), reported(again).get("2@2")]).toEqual([expected, expected]);
});
