/** The images are made of a release's tarballs alone, and run as a user without rights on a root that nobody can write to. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Check, Location, Result } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { newApiKey, ROOT } from "../harness/control-plane.ts";
import { freePort, temporaryFolder } from "../harness/folders.ts";
import type { RunningProcess } from "../harness/process.ts";
import { until } from "../harness/wait.ts";
import { COMPOSE_ADVICE, ComposeProject, canCompose } from "./compose.ts";
import {
  canReplay,
  type Image,
  programOf,
  REPLAY_ADVICE,
  type RunOptions,
  replay,
  runImage,
  stopImage,
} from "./containerfile.ts";
import { canFilter, filterOf } from "./seccomp.ts";

const { path: folder, remove } = temporaryFolder();
const running: RunningProcess[] = [];
let controlPlane: Image;
let agent: Image;
let browserAgent: Image;
let packages: { dependencies: Record<string, unknown> }[];

beforeAll(async () => {
  chmodSync(folder, 0o755);
  const { packAll } = await import(join(ROOT, "scripts/pack.mjs"));
  const release = join(folder, "release");
  packages = await packAll(release);
  if (!canReplay) return;
  const file = (name: string) => join(ROOT, `deploy/container/${name}.Containerfile`);
  const ofControlPlane = await replay(file("control-plane"), release, join(folder, "control-plane"));
  const ofAgent = await replay(file("runner-agent"), release, join(folder, "runner-agent"));
  controlPlane = ofControlPlane.get("final") as Image;
  agent = ofAgent.get("plain") as Image;
  browserAgent = ofAgent.get("browser") as Image;
}, 300_000);
afterAll(async () => {
  for (const one of running.reverse()) await one.stop();
  remove();
});

function start(image: Image, options: RunOptions): RunningProcess {
  const one = runImage(image, options);
  running.push(one);
  return one;
}

/** Runs the image's health check, with the port that this run has. */
async function isHealthy(image: Image, port: number): Promise<boolean> {
  const words = image.healthCheck.map((word) => word.replace(/:\d{4}\//, `:${port}/`));
  return (await runImage(image, { environment: {}, volumes: join(folder, "health"), words }).ended) === 0;
}

test("every package with executables is in the lockfile for x64 and arm64", () => {
  const paths = packages.flatMap(({ dependencies }) => Object.keys(dependencies));
  const ofX64 = paths.filter((path) => path.endsWith("linux-x64"));
  expect(ofX64.length).toBeGreaterThan(3);
  expect(ofX64.filter((path) => !paths.includes(path.replace("x64", "arm64")))).toEqual([]);
});

describe.runIf(canReplay)(`images${REPLAY_ADVICE}`, () => {
  test("a control plane and an agent run a check, without root, rights or a shell, and end on their signal", async () => {
    const api = { port: await freePort(), runnerPort: await freePort(), key: newApiKey() };
    const healthPort = await freePort();
    const url = `http://127.0.0.1:${api.port}`;
    const call = async <T>(path: string, body?: unknown): Promise<T> => {
      const headers = { authorization: `Bearer ${api.key}`, "content-type": "application/json" };
      const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
      const response = await fetch(url + path, { headers, ...init });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as T;
    };
    const service = start(controlPlane, {
      volumes: join(folder, "volumes"),
      // initdb of the embedded PostgreSQL asks one for versions.
      hasShell: true,
      environment: {
        SVC_HTTP_PORT: String(api.port),
        SVC_RUNNER_PORT: String(api.runnerPort),
        SVC_BOOTSTRAP_API_KEY: api.key,
        SVC_EGRESS_PRIVATE: "allow",
        LOG_LEVEL: "warn",
      },
    });
    const isReady = async () => service.hasEnded() || (await fetch(`${url}/readyz`)).ok;
    await until("the control plane is ready", isReady, { withinMs: 60_000 });
    expect(service.hasEnded(), service.output()).toBe(false);
    expect(await isHealthy(controlPlane, api.port)).toBe(true);
    const { location } = await call<{ location: Location }>("/api/locations", { name: "here" });
    const { key } = await call<{ key: { secret: string } }>(`/api/locations/${location.id}/keys`, {});
    const runner = start(agent, {
      volumes: join(folder, "volumes"),
      environment: {
        SVC_RUNNER_KEY: key.secret,
        SVC_CONTROL_PLANE_URL: `http://127.0.0.1:${api.runnerPort}`,
        SVC_RUNNER_HEALTH_PORT: String(healthPort),
      },
    });
    const isConnected = async () =>
      runner.hasEnded() || (await fetch(`http://127.0.0.1:${healthPort}/readyz`)).ok;
    await until("the agent is ready", isConnected, { withinMs: 60_000 });
    expect(runner.hasEnded(), runner.output()).toBe(false);
    expect(await isHealthy(agent, healthPort)).toBe(true);
    expect(await isHealthy(agent, await freePort())).toBe(false);

    const config = { type: "http", httpConfig: { url: `${url}/healthz` } };
    const input = { name: "A check", frequencySeconds: 300, locations: [location.id], ...config };
    const { check } = await call<{ check: Check }>("/api/checks", input);
    const result = await until("a result", async () => {
      const { results } = await call<{ results: Result[] }>(`/api/checks/${check.id}/results`);
      return results[0];
    });
    expect(result, JSON.stringify(result)).toMatchObject({ status: "success" });

    for (const one of [service, runner]) {
      const status = readFileSync(`/proc/${programOf(one)}/status`, "utf8");
      expect(status).toMatch(/^Uid:\t65532\t65532\t65532\t65532$/m);
      expect(status).toMatch(/^CapPrm:\t0+\nCapEff:\t0+\nCapBnd:\t0+$/m);
      expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    }
    expect(await stopImage(agent, runner), runner.output()).toBe(0);
    expect(await stopImage(controlPlane, service), service.output()).toBe(0);
  });

  describe.runIf(canCompose)(`compose.yaml${COMPOSE_ADVICE}`, () => {
    test("from nothing to an agent that runs checks, with secrets that stay, within a minute", async () => {
      const home = join(folder, "compose");
      mkdirSync(home);
      const project = new ComposeProject(home, {
        "svc-control-plane": controlPlane,
        "svc-runner": browserAgent,
      });
      onTestFinished(() => project.stop());
      const secrets = () =>
        [
          "database/password",
          "control-plane/secret-key",
          "control-plane/database-url",
          "agent/runner-key",
        ].map((path) => readFileSync(join(project.volume(path.replace("/", "-secrets/"))), "utf8"));
      await project.makeSecrets();
      const made = secrets();
      await project.makeSecrets();
      expect(secrets()).toEqual(made);
      expect(new Set(made.map((text) => text.slice(-64))).size).toBe(4);

      await project.startDatabase();
      const service = project.start("control-plane");
      const isReady = async () =>
        service.hasEnded() || (await project.request("http://control-plane:8080/readyz")).status === 200;
      await until("the control plane is ready", isReady, { withinMs: 60_000, everyMs: 500 });
      expect(service.hasEnded(), service.output()).toBe(false);
      const filter = canFilter ? join(home, "filter") : undefined;
      if (filter)
        writeFileSync(filter, filterOf(join(ROOT, "deploy/container/seccomp/svc-runner-browser.json")));
      const runner = project.start("agent", { filter });
      const isConnected = async () =>
        runner.hasEnded() || (await project.request("http://agent:8082/readyz")).status === 200;
      await until("the agent is ready", isConnected, { withinMs: 60_000, everyMs: 500 });
      expect(runner.hasEnded(), runner.output()).toBe(false);
      expect(service.output()).toMatch(/sign in once +http:\/\/localhost:8080\/auth\/link\?token=/);

      const teams = await project.execute("control-plane", ["svc-control-plane", "teams", "list"]);
      const [teamId = ""] = /team_\w+/.exec(teams) ?? [];
      const words = ["svc-control-plane", "api-keys", "create", "--team", teamId];
      const [key] = /sk_[0-9a-f]{64}/.exec(await project.execute("control-plane", words)) ?? [];
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const checks = "http://control-plane:8080/api/checks";
      expect((await project.request(checks, { headers })).body).toMatchObject({ checks: [] });
      const config = { type: "http", httpConfig: { url: "http://control-plane:8080/healthz" } };
      const body = { name: "Itself", frequencySeconds: 300, locations: ["loc_us_east"], ...config };
      const created = await project.request(checks, { method: "POST", headers, body: JSON.stringify(body) });
      const { check } = created.body as { check: Check };
      const result = await until("a result", async () => {
        const { body } = await project.request(`${checks}/${check.id}/results`, { headers });
        return (body as { results: Result[] }).results[0];
      });
      expect(result, JSON.stringify(result)).toMatchObject({ status: "success" });
      if (!filter) return;
      // Under the profile a script runs in its box, and what no service needs is not there (38: ENOSYS).
      expect(readFileSync(`/proc/${programOf(runner)}/status`, "utf8")).toMatch(/^Seccomp:\t2$/m);
      const keyctl = process.arch === "arm64" ? 219 : 250;
      const perl = ["perl", "-e", `print syscall(${keyctl}, 0, -3, 0), " ", $!+0`];
      expect(await project.execute("agent", perl, { filter })).toBe("-1 38");
      expect(await project.execute("agent", perl)).not.toContain(" 38");
      expect(runner.output()).not.toMatch(/browser checks are not run|scripts of browser checks are refused/);
      const script = `import { test, expect } from "@playwright/test";
        test("health", async ({ page }) => {
          await page.goto("http://control-plane:8080/healthz");
          await expect(page.locator("body")).toContainText("ok");
        });`;
      const browser = { type: "browser", browserConfig: { browserMode: "scripted", script } };
      const scripted = { name: "Script", frequencySeconds: 300, locations: ["loc_us_east"], ...browser };
      const answer = await project.request(checks, {
        method: "POST",
        headers,
        body: JSON.stringify(scripted),
      });
      expect(answer.status, JSON.stringify(answer.body)).toBe(201);
      const { id } = (answer.body as { check: Check }).check;
      const ofScript = await until(
        "a result of the script",
        async () => {
          const { body } = await project.request(`${checks}/${id}/results`, { headers });
          return (body as { results: Result[] }).results[0];
        },
        { withinMs: 40_000 },
      ).catch((cause: unknown) => {
        throw new Error(runner.output(), { cause });
      });
      expect(ofScript, `${JSON.stringify(ofScript)} ${runner.output()}`).toMatchObject({ status: "success" });
    });
  });

  test("each has one volume and ports above 1024, and its files belong to root", () => {
    for (const { root, volumes, ports } of [controlPlane, agent]) {
      expect(volumes).toHaveLength(1);
      expect(ports.every((port) => Number(port) > 1024)).toBe(true);
      const others = execFileSync("find", [
        join(root, "opt"),
        "!",
        "-user",
        "root",
        "-o",
        "-perm",
        "/002",
        "!",
        "-type",
        "l",
      ]);
      expect(others.toString()).toBe("");
    }
  });
});
