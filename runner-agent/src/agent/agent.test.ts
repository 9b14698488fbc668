import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { Code, ConnectError } from "@connectrpc/connect";
import type { ProbeContext, ProbeOutcome, ProbeRequest } from "@svc/probes";
import type { SessionRequest } from "@svc/proto/svc/runner/v1/runner_pb";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aRunResult } from "../../test-support/builders.ts";
import {
  type AgentStream,
  answerPolitely,
  FakeControlPlane,
  WELCOME,
} from "../../test-support/fake-control-plane.ts";
import { until } from "../../test-support/until.ts";
import { parseConfig } from "../base/config.ts";
import { startAgent } from "../start-agent.ts";
import type { Agent } from "./agent.ts";

const KEY = `rk_${"c".repeat(64)}`;
const CONFIG = '{"url":"http://127.0.0.1/","headers":{"x-secret":"do-not-log-me"}}';

let folder: string;
const cleanups: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-agent-"));
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * A control plane that assigns `count` checks with a slot each ten seconds, spread over them, and keeps what it is sent. It takes
 * the checks of an agent that drains away at once, unless `keepsAssignments`.
 */
async function aControlPlane({
  count = 20,
  port = 0,
  aheadMs = 0,
  hosted = false,
  keepsAssignments = false,
} = {}) {
  const stored = new Map<string, number>();
  const nowMs = () => Date.now() + aheadMs;
  const onMessage = (stream: AgentStream, request: SessionRequest) => {
    const { message } = request;
    if (message.case === "hello") {
      const { agentSentAtMs } = message.value;
      stream.send({
        case: "welcome",
        value: { ...WELCOME, hosted, agentSentAtMs, serverTimeMs: BigInt(nowMs()) },
      });
      stream.send({ case: "snapshot", value: { ...assigned(count, nowMs()), last: true } });
    } else if (message.case === "heartbeat") {
      const { agentSentAtMs, draining } = message.value;
      stream.send({ case: "heartbeatReply", value: { agentSentAtMs, serverTimeMs: BigInt(nowMs()) } });
      if (draining && !keepsAssignments) stream.send({ case: "delta", value: withdrawn(count) });
    } else if (message.case === "resultBatch") {
      const { seq, checkKeys, slotsMs } = message.value;
      checkKeys.forEach((checkKey, index) => {
        const key = `${checkKey}/${slotsMs[index]}`;
        stored.set(key, (stored.get(key) ?? 0) + 1);
      });
      stream.send({ case: "ack", value: { seq } });
    } else answerPolitely(stream, request);
  };
  const plane = await FakeControlPlane.start({ onMessage, port });
  cleanups.push(() => plane.stop());
  return { plane, stored, nowMs };
}

function assigned(count: number, nowMs: number) {
  const keys = Array.from({ length: count }, (_, index) => index + 1);
  return {
    checks: keys.map((key) => ({
      checkKey: BigInt(key),
      checkId: `chk_${key}`,
      type: "http",
      configJson: CONFIG,
      frequencySeconds: 10,
      phaseMs: Math.floor((key * 10_000) / (count + 1)),
      revision: 1n,
    })),
    assignments: keys.map((key) => ({
      checkKey: BigInt(key),
      locationKey: 1,
      effectiveFromMs: BigInt(nowMs - 1000),
    })),
  };
}

function withdrawn(count: number) {
  return {
    unassignments: Array.from({ length: count }, (_, index) => ({
      checkKey: BigInt(index + 1),
      locationKey: 1,
    })),
  };
}

async function anAgent(
  url: string,
  probe: (request: ProbeRequest, context: ProbeContext) => Promise<ProbeOutcome> = async (
    _request,
    { nowMs },
  ) => aRunResult({ startedAtMs: nowMs() }),
) {
  const log: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      log.push(String(chunk));
      done();
    },
  });
  const config = parseConfig({
    SVC_RUNNER_KEY: KEY,
    SVC_CONTROL_PLANE_URL: url,
    SVC_RUNNER_DATA_DIR: folder,
    SVC_RUNNER_HEALTH_PORT: "0",
  });
  const agent = await startAgent({
    config,
    log: pino({ level: "trace" }, sink),
    probe,
    capabilities: ["http"],
  });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= agent.stop();
    return stopped;
  };
  cleanups.push(stop);
  return { agent, log, stop };
}

async function readyz(agent: Agent): Promise<{ status: number; body: string }> {
  const response = await fetch(`${agent.healthUrl}/readyz`);
  return { status: response.status, body: await response.text() };
}

describe("an agent", () => {
  it("runs what it is assigned, delivers each slot once, and is ready", async () => {
    const { plane, stored } = await aControlPlane();
    const { agent } = await anAgent(plane.url);
    await until(() => stored.size >= 8, "results");
    expect(new Set(stored.values())).toEqual(new Set([1]));
    expect(await readyz(agent)).toMatchObject({ status: 200 });
  });

  it("keeps to the control plane's clock when its own is 90 s off, and says so once", async () => {
    const { plane, stored, nowMs } = await aControlPlane({ aheadMs: 90_000 });
    const { log } = await anAgent(plane.url);
    await until(() => stored.size >= 8, "results");
    for (const key of stored.keys()) {
      expect(Math.abs(Number(key.split("/")[1]) - nowMs())).toBeLessThan(30_000);
    }
    expect(log.filter((line) => line.includes("clock skew"))).toHaveLength(1);
    expect(log.join("")).toMatch(/(89|90)\.\d s behind/);
  });

  it("runs on through an outage of the control plane, and delivers every slot once when it is back", async () => {
    const first = await aControlPlane();
    const { agent } = await anAgent(first.plane.url);
    await until(() => first.stored.size >= 4, "results");
    const { port } = first.plane;
    await first.plane.stop();
    await until(async () => (await readyz(agent)).status === 503, "the agent to notice");
    const backlog = async () => {
      const metrics = await (await fetch(`${agent.healthUrl}/metrics`)).text();
      return Number(/^svc_runner_backlog_results (\d+)$/m.exec(metrics)?.[1]);
    };
    await until(async () => (await backlog()) >= 4, "a backlog");
    const second = await aControlPlane({ port });
    await until(async () => second.stored.size >= 6 && (await backlog()) === 0, "the backlog's delivery");
    const slots = [...first.stored.keys(), ...second.stored.keys()].map((key) => Number(key.split("/")[1]));
    expect(new Set(slots).size).toBe(slots.length);
    // One check has a slot every 10,000 / 21 ms: no hole anywhere.
    const ordered = [...slots].sort((a, b) => a - b);
    for (let i = 1; i < ordered.length; i++) {
      expect((ordered[i] as number) - (ordered[i - 1] as number)).toBeLessThanOrEqual(10_000 / 21 + 500);
    }
  });

  it("restarted while the control plane is away, runs its last assignment and keeps its spool", async () => {
    const first = await aControlPlane();
    const before = await anAgent(first.plane.url);
    await until(() => first.stored.size >= 2, "results");
    const { port, url } = first.plane;
    await before.stop();
    await first.plane.stop();
    const alone = await anAgent(url);
    await until(
      () => alone.log.some((line) => line.includes("assignment of the last session")),
      "the last assignment",
    );
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await alone.stop();
    const again = await anAgent(url);
    const second = await aControlPlane({ port });
    await until(() => second.stored.size >= 2, "the spooled results");
    expect(new Set(second.stored.values())).toEqual(new Set([1]));
    await again.stop();
  });

  it("that may not sign in at its first attempt ends; one whose key is revoked later goes on", async () => {
    let isRevoked = true;
    const plane = await FakeControlPlane.start({
      onOpen: () => {
        if (isRevoked) throw new ConnectError("unknown runner key", Code.Unauthenticated);
      },
    });
    cleanups.push(() => plane.stop());
    const refused = await anAgent(plane.url);
    expect(await refused.agent.failed).toBe("key_refused");
    await refused.stop();
    isRevoked = false;
    const accepted = await anAgent(plane.url);
    await until(async () => (await readyz(accepted.agent)).status === 200, "the session");
    isRevoked = true;
    plane.cut();
    await until(async () => (await readyz(accepted.agent)).body.includes("SVC_RUNNER_KEY"), "the refusal");
    expect((await readyz(accepted.agent)).status).toBe(503);
  });

  it("lets probes reach private addresses in a private location and not for a hosted key", async () => {
    for (const hosted of [false, true]) {
      const { plane, stored } = await aControlPlane({ hosted });
      const allowed = new Set<boolean>();
      const { stop } = await anAgent(plane.url, async (_request, { allowPrivateAddresses, nowMs }) => {
        allowed.add(allowPrivateAddresses);
        return aRunResult({ startedAtMs: nowMs() });
      });
      await until(() => stored.size >= 1, "a result");
      expect(allowed).toEqual(new Set([!hosted]));
      await stop();
    }
  });

  it("writes no secret into its log", async () => {
    const { plane, stored } = await aControlPlane();
    const { log, stop } = await anAgent(plane.url);
    await until(() => stored.size >= 2, "results");
    plane.cut();
    await until(() => plane.streams.length >= 2, "another session");
    await stop();
    expect(log.join("")).not.toMatch(/rk_c|do-not-log-me|Bearer/);
    for (const line of log) expect(line.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("stopping", () => {
  it("ends what runs, delivers it, says goodbye, and leaves nothing in the spool", async () => {
    const { plane, stored } = await aControlPlane();
    let running = 0;
    const release: (() => void)[] = [];
    const { stop, log } = await anAgent(plane.url, async (_request, { nowMs }) => {
      const startedAtMs = nowMs();
      running++;
      await new Promise<void>((resolve) => release.push(resolve));
      return aRunResult({ startedAtMs });
    });
    await until(() => running >= 2, "runs");
    const stopping = stop();
    await until(
      () => plane.stream.messages("heartbeat").some(({ draining }) => draining),
      "the word that it drains",
    );
    const begun = running;
    for (const end of release) end();
    await stopping;
    expect(stored.size).toBe(begun);
    expect(plane.stream.messages("goodbye")).toHaveLength(1);
    expect(log.join("")).toContain('"resultsLeftInSpool":0');
  });

  it("runs slots on until others own them, and none after that", async () => {
    const { plane, stored } = await aControlPlane({ count: 40, keepsAssignments: true });
    const { stop } = await anAgent(plane.url);
    await until(() => stored.size >= 2, "results");
    const stopping = stop();
    await until(() => plane.stream.messages("heartbeat").some(({ draining }) => draining), "the draining");
    const before = stored.size;
    await until(() => stored.size >= before + 4, "results of slots that fell due while it drained");
    plane.stream.send({ case: "delta", value: withdrawn(40) });
    await stopping;
    const after = Math.max(...[...stored.keys()].map((key) => Number(key.split("/")[1])));
    expect(Date.now() - after).toBeLessThan(2_000);
    expect(new Set(stored.values())).toEqual(new Set([1]));
    expect(plane.stream.messages("giveBack")).toEqual([]);
  });

  it("waits for others no longer than 6 s", async () => {
    const { plane, stored } = await aControlPlane({ keepsAssignments: true });
    const { stop } = await anAgent(plane.url);
    await until(() => stored.size >= 1, "a result");
    const fromMs = performance.now();
    await stop();
    expect(performance.now() - fromMs).toBeGreaterThan(5_900);
    expect(plane.stream.messages("goodbye")).toHaveLength(1);
  });

  it("without a control plane it ends at once, and says where the results are that it could not deliver", async () => {
    const { plane, stored } = await aControlPlane();
    const { agent, stop, log } = await anAgent(plane.url);
    await until(() => stored.size >= 1, "a result");
    await plane.stop();
    await until(async () => (await readyz(agent)).status === 503, "the agent to notice");
    const backlog = async () =>
      /^svc_runner_backlog_results ([4-9]|\d\d)/m.test(
        await (await fetch(`${agent.healthUrl}/metrics`)).text(),
      );
    await until(backlog, "a backlog");
    await stop();
    const last = JSON.parse(log.at(-1) as string);
    expect(last.resultsLeftInSpool).toBeGreaterThan(0);
    expect(last.msg).toContain(`are kept in ${folder}: start an agent with this folder`);
  });

  it("gives back what does not end in time", async () => {
    const { plane, stored } = await aControlPlane({ count: 5 });
    let running = 0;
    const { stop } = await anAgent(plane.url, async (_request, { signal }) => {
      running++;
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      return { kind: "fault", reason: "draining", message: "shutting down" };
    });
    await until(() => running >= 1, "a run");
    await stop();
    const givenBack = plane.stream.messages("giveBack").flatMap(({ slots }) => slots);
    expect(givenBack.length).toBeGreaterThanOrEqual(running);
    expect(givenBack.every(({ reason }) => reason === 5)).toBe(true);
    expect(stored.size).toBe(0);
  });
});
