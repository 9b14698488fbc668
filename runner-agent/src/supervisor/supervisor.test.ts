import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Code, ConnectError } from "@connectrpc/connect";
import type { SessionRequest } from "@svc/proto/svc/runner/v1/runner_pb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundleForChild } from "../../test-support/bundle.ts";
import { type AgentStream, answerPolitely, FakeControlPlane } from "../../test-support/fake-control-plane.ts";
import { until } from "../../test-support/until.ts";

const KEY = `rk_${"e".repeat(64)}`;

let command: Awaited<ReturnType<typeof bundleForChild>>;
let folder: string;
let slotMs: bigint;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  command = await bundleForChild("supervisor", 'import "./main.ts";');
});
afterAll(() => command.remove());
beforeEach(() => {
  slotMs = BigInt(Date.now() - 5_000);
  folder = mkdtempSync(join(tmpdir(), "svc-processes-"));
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  rmSync(folder, { recursive: true, force: true });
});

function run(url: string, processes: string, environment: Record<string, string> = {}) {
  const child: ChildProcess = spawn(process.execPath, [command.path, "--processes", processes], {
    env: {
      PATH: process.env.PATH ?? "",
      SVC_RUNNER_KEY: KEY,
      SVC_CONTROL_PLANE_URL: url,
      SVC_RUNNER_DATA_DIR: join(folder, "data"),
      SVC_RUNNER_HEALTH_PORT: "0",
      SVC_BROWSER_MEMORY_BYTES: "off",
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk) => {
      text += chunk;
    });
  const ended = new Promise<number | string | null>((resolve) =>
    child.once("exit", (code, signal) => resolve(code ?? signal)),
  );
  cleanups.push(async () => {
    child.kill("SIGKILL");
    await ended;
    // Those that it had started end by themselves, and free their folders.
    await until(() => lockedFolders().length === 0, "the end of all processes");
  });
  return { child, output: () => text, ended };
}

/** Pids that hold the data folder of a process. */
function lockedFolders(): number[] {
  const data = join(folder, "data");
  const further = existsSync(join(data, "processes")) ? readdirSync(join(data, "processes")) : [];
  return [data, ...further.map((name) => join(data, "processes", name))].flatMap((one) => {
    try {
      const { pid } = JSON.parse(readFileSync(join(one, "lock"), "utf8")) as { pid: number };
      process.kill(pid, 0);
      return [pid];
    } catch {
      return []; // not locked, or by a process that is gone
    }
  });
}

/** The newest stream of each runner, by its uuid. */
function streamsByRunner(plane: FakeControlPlane): Map<string, AgentStream> {
  return new Map(
    plane.streams.flatMap((stream) => {
      const uuid = stream.messages("hello")[0]?.runnerUuid;
      return uuid === undefined ? [] : [[uuid, stream] as const];
    }),
  );
}

/** The runners that sent results. */
function resultsByRunner(plane: FakeControlPlane): Set<string | undefined> {
  const senders = plane.streams.filter((one) => one.messages("resultBatch").length > 0);
  return new Set(senders.map((one) => one.messages("hello")[0]?.runnerUuid));
}

async function aControlPlane(options: Parameters<typeof FakeControlPlane.start>[0] = {}) {
  const plane = await FakeControlPlane.start(options);
  cleanups.push(() => plane.stop());
  return plane;
}

/** Has each new runner run one slot, and acknowledges results once `isAcknowledging` says so. */
function withOneSlot(isAcknowledging: () => boolean) {
  return (stream: AgentStream, request: SessionRequest) => {
    answerPolitely(stream, request);
    const { message } = request;
    if (message.case === "hello" && !isAcknowledging()) {
      const check = {
        checkKey: 1n,
        checkId: "chk_1",
        type: "http",
        configJson: '{"url":"http://127.0.0.1:9/"}',
        frequencySeconds: 3600,
        revision: 1n,
      };
      stream.send({ case: "runNow", value: { check, locationKey: 1, slotMs } });
    }
    if (message.case === "resultBatch" && isAcknowledging())
      stream.send({ case: "ack", value: { seq: message.value.seq } });
  };
}

const healthOf = (output: string) => /"health":"(http:[^"]+)"/.exec(output)?.[1] as string;

describe("an agent of several processes", () => {
  it("has a runner for each, one health port for all, and drains them all on SIGTERM", async () => {
    const plane = await aControlPlane();
    const { child, output, ended } = run(plane.url, "3");
    await until(() => output().includes("svc-runner starts 3 processes"), "the supervisor");
    const health = healthOf(output());
    await until(async () => (await fetch(`${health}/readyz`)).status === 200, "all to be ready");
    expect(streamsByRunner(plane).size).toBe(3);
    expect(await (await fetch(`${health}/healthz`)).json()).toEqual({ status: "ok" });
    const metrics = await (await fetch(`${health}/metrics`)).text();
    for (const line of [
      "svc_runner_processes 3",
      "svc_runner_processes_running 3",
      'svc_runner_process_restarts_total{process="2"} 0',
      'svc_runner_connected{process="1"} 1',
      'svc_runner_connected{process="3"} 1',
    ])
      expect(metrics.split("\n")).toContain(line);
    expect(metrics.match(/^# HELP svc_runner_connected/gm)).toHaveLength(1);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    for (const stream of streamsByRunner(plane).values()) expect(stream.messages("goodbye")).toHaveLength(1);
    expect(lockedFolders()).toEqual([]);
  });

  it("starts a process again that was killed, which delivers what it had measured", async () => {
    let acknowledges = false;
    const plane = await aControlPlane({ onMessage: withOneSlot(() => acknowledges) });
    const { output } = run(plane.url, "2");
    await until(() => resultsByRunner(plane).size === 2, "a result of each");
    const before = lockedFolders();
    expect(before).toHaveLength(2);
    const uuid = readFileSync(join(folder, "data/processes/2/runner-id"), "utf8").trim();
    acknowledges = true;
    process.kill(before[1] as number, "SIGKILL");
    const health = healthOf(output());
    await until(async () => (await fetch(`${health}/readyz`)).status === 503, "the loss to be seen");
    await until(async () => (await fetch(`${health}/readyz`)).status === 200, "all to be ready again");
    expect(output()).toContain("process 2 ended (SIGKILL); it is started again in 1 s");
    await until(
      () => streamsByRunner(plane).get(uuid)?.messages("resultBatch").length === 1,
      "its result again",
    );
    const again = streamsByRunner(plane).get(uuid)?.messages("resultBatch")[0];
    expect(again?.slotsMs).toEqual([slotMs]);
    const after = lockedFolders();
    expect([after[0], after[1] === before[1]]).toEqual([before[0], false]);
    const metrics = await (await fetch(`${health}/metrics`)).text();
    expect(metrics).toContain('svc_runner_process_restarts_total{process="2"} 1');
  });

  it("that has fewer processes than before delivers what the others left, and removes their folders", async () => {
    let acknowledges = false;
    const plane = await aControlPlane({ onMessage: withOneSlot(() => acknowledges) });
    const first = run(plane.url, "2");
    await until(() => resultsByRunner(plane).size === 2, "a result of each");
    const uuid = readFileSync(join(folder, "data/processes/2/runner-id"), "utf8").trim();
    const pids = lockedFolders();
    first.child.kill("SIGKILL");
    for (const pid of pids) process.kill(pid, "SIGKILL");
    await first.ended;
    acknowledges = true;
    const streams = plane.streams.length;
    const second = run(plane.url, "1");
    await until(() => !existsSync(join(folder, "data/processes/2")), "the end of process 2's folder");
    const further = plane.streams
      .slice(streams)
      .filter((one) => one.messages("hello")[0]?.runnerUuid === uuid);
    expect(further.flatMap((one) => one.messages("resultBatch")).flatMap(({ slotsMs }) => slotsMs)).toEqual([
      slotMs,
    ]);
    expect(second.output()).toContain("delivers what process 2 of an earlier start left");
    const health = healthOf(second.output());
    await until(
      async () => (await fetch(`${health}/readyz`)).status === 200,
      "the remaining one to be ready",
    );
    second.child.kill("SIGTERM");
    expect(await second.ended).toBe(0);
  });

  it("ends with code 2 when its key is refused, and starts nothing again", async () => {
    const plane = await aControlPlane({
      onOpen: () => {
        throw new ConnectError("unknown runner key", Code.Unauthenticated);
      },
    });
    const { output, ended } = run(plane.url, "2");
    expect(await ended).toBe(2);
    expect(output()).not.toContain(KEY);
    expect(output()).not.toContain("started again");
  });

  it("ends when no process can start", async () => {
    const plane = await aControlPlane();
    const first = run(plane.url, "2");
    await until(() => plane.streams.length === 2, "the first agent");
    const second = run(plane.url, "2");
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain("in use by another svc-runner");
    first.child.kill("SIGTERM");
    expect(await first.ended).toBe(0);
  });

  it("leaves no process behind when the supervisor is killed", async () => {
    const plane = await aControlPlane();
    const { child, ended } = run(plane.url, "2");
    await until(() => plane.streams.length === 2, "both");
    expect(lockedFolders()).toHaveLength(2);
    child.kill("SIGKILL");
    await ended;
    await until(() => lockedFolders().length === 0, "the end of all processes");
    for (const stream of plane.streams) expect(stream.messages("goodbye")).toHaveLength(1);
  });

  it.each([
    ["65", /^svc-runner: SVC_RUNNER_PROCESSES largest is 64\n$/],
    ["0", /^svc-runner: SVC_RUNNER_PROCESSES smallest is 1\n$/],
    ["1.5", /^svc-runner: SVC_RUNNER_PROCESSES expected/],
    ["many", /^svc-runner: SVC_RUNNER_PROCESSES expected/],
  ])("of %s processes is refused", async (processes, line) => {
    const { output, ended } = run("http://127.0.0.1:9", processes);
    expect(await ended).toBe(1);
    expect(output()).toMatch(line);
  });

  it("is refused when a limit is too small to be divided", async () => {
    const { output, ended } = run("http://127.0.0.1:9", "4", { SVC_RUNNER_BODY_BYTES_MAX: "268435456" });
    expect(await ended).toBe(1);
    expect(output()).toBe(
      "svc-runner: SVC_RUNNER_BODY_BYTES_MAX 268435456 is too small for SVC_RUNNER_PROCESSES 4: smallest is 536870912\n",
    );
  });
});
