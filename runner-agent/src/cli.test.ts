import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundleForChild } from "../test-support/bundle.ts";
import { answerPolitely, FakeControlPlane } from "../test-support/fake-control-plane.ts";
import { until } from "../test-support/until.ts";
import { AGENT_VERSION } from "./base/version.ts";

const KEY = `rk_${"d".repeat(64)}`;

let command: Awaited<ReturnType<typeof bundleForChild>>;
let folder: string;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  command = await bundleForChild("cli", 'import "./main.ts";');
});
afterAll(() => command.remove());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-cli-"));
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  child: ChildProcessByStdio<null, Readable, Readable>;
  output: () => string;
  /** Exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>;
}

function run(args: string[], environment: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [command.path, ...args], {
    env: { PATH: process.env.PATH ?? "", SVC_RUNNER_DATA_DIR: join(folder, "data"), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      text += chunk;
    });
  }
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once("close", (code, signal) => resolve(code ?? signal)),
  );
  cleanups.push(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, output: () => text, ended };
}

const settings = (url: string) => ({
  SVC_RUNNER_KEY: KEY,
  SVC_CONTROL_PLANE_URL: url,
  SVC_RUNNER_HEALTH_PORT: "0",
});

async function aControlPlane(options: Parameters<typeof FakeControlPlane.start>[0] = {}) {
  const plane = await FakeControlPlane.start(options);
  cleanups.push(() => plane.stop());
  return plane;
}

describe("svc-runner", () => {
  it("explains its settings", async () => {
    const { output, ended } = run(["--help"]);
    expect(await ended).toBe(0);
    const config = readFileSync(new URL("base/config.ts", import.meta.url), "utf8");
    const names = config.match(/\b(SVC_[A-Z_]+|LOG_LEVEL)(?=: )/g) ?? [];
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) expect(output()).toContain(name);
  });

  it("tells its version, which is the package's", async () => {
    const { output, ended } = run(["--version"]);
    expect(await ended).toBe(0);
    const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect([output().trim(), AGENT_VERSION]).toEqual([manifest.version, manifest.version]);
  });

  it("doctor tells what works here, what does not, and what to do; by its exit code, too", async () => {
    const plane = await aControlPlane();
    const well = run(["doctor"], { ...settings(plane.url), SVC_BROWSER_MEMORY_BYTES: "off" });
    expect(await well.ended).toBe(0);
    expect(well.output()).toMatch(/^connection +ok +the control plane at .* takes the runner key\n/);
    const ill = run(["doctor"], { ...settings("http://127.0.0.1:1"), SVC_BROWSER_MEMORY_BYTES: "off" });
    expect(await ill.ended).toBe(1);
    expect(ill.output()).toMatch(/^connection +problem .*ECONNREFUSED.*\n +to do: check host and port/);
    expect(ill.output()).toMatch(/\n1 problem(, \d+ warnings?)?\n$/);
  });

  it("without its settings ends with one line that names them", async () => {
    const { output, ended } = run([]);
    expect(await ended).toBe(1);
    expect(output()).toMatch(/^svc-runner: [^\n]*SVC_RUNNER_KEY[^\n]*SVC_CONTROL_PLANE_URL[^\n]*\n$/);
  });

  it("with a key that is refused ends with code 2 and one line that does not show it", async () => {
    const plane = await aControlPlane({
      onOpen: () => {
        throw new ConnectError("unknown runner key", Code.Unauthenticated);
      },
    });
    const { output, ended } = run(["start"], settings(plane.url));
    expect(await ended).toBe(2);
    expect(output().match(/SVC_RUNNER_KEY/g)).toHaveLength(1);
    expect(output()).not.toContain(KEY);
  });

  it("while the control plane is away says so once and goes on trying", async () => {
    const { url } = await FakeControlPlane.start().then(async (plane) => {
      const address = { url: plane.url };
      await plane.stop();
      return address;
    });
    const { child, output, ended } = run([], settings(url));
    await until(() => output().includes("ECONNREFUSED"), "the line");
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(output().match(/ECONNREFUSED/g)).toHaveLength(1);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });

  it("drains on SIGTERM and ends with 0", async () => {
    const plane = await aControlPlane();
    const { child, output, ended } = run([], settings(plane.url));
    await until(() => output().includes("connected"), "the session");
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(plane.stream.messages("goodbye")).toHaveLength(1);
  });

  it("refuses a data folder in use, and takes it over from a process that was killed", async () => {
    const plane = await aControlPlane();
    const first = run([], settings(plane.url));
    await until(() => first.output().includes("connected"), "the first session");
    const second = run([], settings(plane.url));
    expect(await second.ended).toBe(1);
    expect(second.output()).toMatch(
      /^\{[^\n]*in use by another svc-runner[^\n]*SVC_RUNNER_DATA_DIR[^\n]*\}\n$/,
    );
    first.child.kill("SIGKILL");
    expect(await first.ended).toBe("SIGKILL");
    const third = run([], settings(plane.url));
    await until(() => third.output().includes("connected"), "the third session");
    const uuids = plane.streams.map((stream) => stream.messages("hello")[0]);
    expect(uuids[1]?.runnerUuid).toBe(uuids[0]?.runnerUuid);
    expect(uuids[1]?.processUuid).not.toBe(uuids[0]?.processUuid);
  });

  it("killed with results that were not acknowledged, delivers them after its restart", async () => {
    const slotMs = BigInt(Date.now() - 5000);
    const check = {
      checkKey: 1n,
      checkId: "chk_1",
      type: "http",
      configJson: '{"url":"http://127.0.0.1:9/"}',
      frequencySeconds: 3600,
      revision: 1n,
    };
    let acknowledges = false;
    const plane = await aControlPlane({
      onMessage: (stream, request) => {
        answerPolitely(stream, request);
        const { message } = request;
        if (message.case === "hello" && !acknowledges) {
          stream.send({ case: "runNow", value: { check, locationKey: 1, slotMs } });
        }
        if (message.case === "resultBatch" && acknowledges)
          stream.send({ case: "ack", value: { seq: message.value.seq } });
      },
    });
    const first = run([], settings(plane.url));
    await until(() => plane.streams[0]?.messages("resultBatch").length === 1, "the result");
    first.child.kill("SIGKILL");
    await first.ended;
    acknowledges = true;
    const second = run([], settings(plane.url));
    await until(() => plane.streams[1]?.messages("resultBatch").length === 1, "the result again");
    const [before, after] = plane.streams.map((stream) => stream.messages("resultBatch")[0]);
    expect({ ...after, seq: 0n }).toEqual({ ...before, seq: 0n });
    second.child.kill("SIGTERM");
    expect(await second.ended).toBe(0);
    expect(second.output()).toContain('"resultsLeftInSpool":0');
  });
});
