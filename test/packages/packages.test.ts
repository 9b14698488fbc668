/** A release holds what it promises, and its packages work where the repository, a compiler and a TypeScript loader are not. */
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  agentPackageUrl,
  type Check,
  installText,
  type Location,
  type Result,
  type Runner,
  type ServiceMeta,
} from "@svc/contract";
import { findBrowser } from "@svc/probes/browser";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasSandbox, SANDBOX_ADVICE } from "../harness/browser.ts";
import { newApiKey, ROOT } from "../harness/control-plane.ts";
import { freePort, temporaryFolder } from "../harness/folders.ts";
import { startReferenceMcpServer } from "../harness/mcp-server.ts";
import { type RunningProcess, startProgram } from "../harness/process.ts";
import { type Site, startSite } from "../harness/site.ts";
import { until } from "../harness/wait.ts";
import { type Installed, installRelease, PACKAGE_NAMES, startInstalled, weigh } from "./installed.ts";

/** Most that an installed package may take on linux-x64; docs/packages.md shows what they take. */
const LIMITS = {
  cli: { megabytes: 3, packages: 0 },
  "runner-agent": { megabytes: 64, packages: 190 },
  "control-plane": { megabytes: 120, packages: 270 },
};

const { path: folder, remove } = temporaryFolder();
const running: RunningProcess[] = [];
let agent: RunningProcess;
let installed: Installed;
let site: Site;
let api: { url: string; key: string; runnerPort: number };

beforeAll(async () => {
  // Where tests run as root, PostgreSQL runs as another account, which must reach it.
  chmodSync(folder, 0o755);
  installed = await installRelease(folder);
  site = await startSite((_request, response) => {
    response.setHeader("content-type", "text/html").end("<title>A page</title><h1>Hello</h1>");
  });
  api = { url: `http://127.0.0.1:${await freePort()}`, key: newApiKey(), runnerPort: await freePort() };
}, 300_000);
afterAll(async () => {
  for (const one of running.reverse()) await one.stop();
  site?.close();
  remove();
});

/** Starts an installed command in a folder of its own, which stands for a user's. */
function start(name: string, words: string[], environment: Record<string, string> = {}): RunningProcess {
  const cwd = join(folder, name);
  mkdirSync(cwd, { recursive: true });
  return startInstalled(installed, cwd, { words, environment });
}

async function svc(...words: string[]): Promise<string> {
  const one = start("project", ["svc", ...words], { SVC_API_KEY: api.key, SVC_API_URL: api.url });
  const code = await one.ended;
  expect(code, one.output()).toBe(0);
  return one.output();
}

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(api.url + path, {
    method,
    headers: { authorization: `Bearer ${api.key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

describe("a release", () => {
  test("sums name every file, and are right", () => {
    const lines = readFileSync(join(installed.release, "SHA256SUMS"), "utf8").trimEnd().split("\n");
    const sums = Object.fromEntries(lines.map((line) => line.split("  ").reverse()));
    const files = readdirSync(installed.release).filter((file) => file !== "SHA256SUMS");
    expect(Object.keys(sums).sort()).toEqual(files.sort());
    expect(files.filter((file) => file.endsWith(".tgz"))).toHaveLength(PACKAGE_NAMES.length);
    for (const [file, sum] of Object.entries(sums)) {
      const bytes = readFileSync(join(installed.release, file));
      expect(createHash("sha256").update(bytes).digest("hex"), file).toBe(sum);
    }
  });

  test.each(PACKAGE_NAMES)("the SBOM of %s names every package that is installed or inlined", (name) => {
    const file = readdirSync(installed.release).find(
      (one) => one.startsWith(`svc-${name}-`) && one.endsWith(".cdx.json"),
    );
    const sbom = JSON.parse(readFileSync(join(installed.release, file ?? ""), "utf8"));
    expect(sbom).toMatchObject({ bomFormat: "CycloneDX", metadata: { component: { name: `@svc/${name}` } } });
    const refs = new Set(sbom.components.map(({ purl }: { purl: string }) => decodeURIComponent(purl)));
    const root = installed.folderOf(name);
    const notices = readFileSync(join(root, "THIRD-PARTY-NOTICES"), "utf8");
    const inlined = [...notices.matchAll(/^-{80}\n\n(\S+) (\S+) \(/gm)].map(
      ([, one, version]) => `${one}@${version}`,
    );
    expect(inlined.length).toBeGreaterThan(1);
    const missing = [...inlined, ...packagesIn(root)].filter((one) => !refs.has(`pkg:npm/${one}`));
    expect(missing).toEqual([]);
  });

  test.each(PACKAGE_NAMES)("%s is as small as it should be", (name) => {
    const { bytes, packages, largest } = weigh(installed.folderOf(name));
    const { megabytes, packages: packagesMax } = LIMITS[name];
    expect(bytes / 1e6, `megabytes; the largest files: ${largest.join(", ")}`).toBeLessThan(megabytes);
    expect(packages).toBeLessThanOrEqual(packagesMax);
  });

  test("is refused without a section of the CHANGELOG, with other versions, without a tag", async () => {
    const checks = join(ROOT, "scripts/release-checks.mjs");
    const { refusals } = await import(checks);
    const right = {
      versions: { ".": "1.2.0", cli: "1.2.0" },
      changelog: "# Changes\n\n## 1.2.0\n\n- A change\n",
    };
    const git = { tags: ["v1.2.0"], isClean: true };
    expect(refusals({ ...right, git })).toEqual([]);
    expect(refusals({ ...right, changelog: "## 1.2.1\n\n- A change\n" })).toEqual([
      'CHANGELOG.md has no section "## 1.2.0"',
    ]);
    expect(refusals({ ...right, changelog: "## Unreleased\n\n- A change\n" })).toEqual([]);
    expect(refusals({ ...right, changelog: "## Unreleased\n\n- A change\n", git })).toHaveLength(1);
    expect(refusals({ ...right, versions: { ".": "1.2.0", cli: "1.1.0" } })).toEqual([
      "cli/package.json has version 1.1.0; the project has 1.2.0",
    ]);
    expect(refusals({ ...right, git: { tags: ["v1.1.0"], isClean: false } })).toHaveLength(2);
  });
});

describe("what is installed", () => {
  test("the control plane starts with its own database, and serves dashboard, API reference, document and documentation", async () => {
    const controlPlane = start("service", ["svc-control-plane"], {
      SVC_HTTP_PORT: new URL(api.url).port,
      SVC_RUNNER_PORT: String(api.runnerPort),
      SVC_BOOTSTRAP_API_KEY: api.key,
      SVC_EGRESS_PRIVATE: "allow",
      LOG_LEVEL: "warn",
    });
    running.push(controlPlane);
    await until("the control plane is ready", () => isReady(controlPlane), { withinMs: 75_000 });
    const page = await (await fetch(`${api.url}/`)).text();
    const script = /<script[^>]* src="([^"]+)"/.exec(page)?.[1] ?? "";
    expect((await fetch(api.url + script)).headers.get("content-type")).toContain("javascript");
    expect(await (await fetch(`${api.url}/docs`)).text()).toContain("swagger");
    expect(await call("GET", "/api/openapi.json")).toHaveProperty("openapi");
    const links = [...(await (await fetch(`${api.url}/llms.txt`)).text()).matchAll(/\]\((\S+)\)/g)];
    expect(links.length).toBeGreaterThan(20);
    for (const [, link = ""] of links) expect([link, (await fetch(link)).status]).toEqual([link, 200]);
  });

  test("the agent connects, and runs HTTP and MCP checks", async () => {
    const { location } = await call<{ location: Location }>("POST", "/api/locations", { name: "here" });
    type NewKey = { key: { secret: string } };
    const { key } = await call<NewKey>("POST", `/api/locations/${location.id}/keys`, {});
    agent = start("agent", ["svc-runner"], {
      SVC_RUNNER_KEY: key.secret,
      SVC_CONTROL_PLANE_URL: `http://127.0.0.1:${api.runnerPort}`,
      SVC_RUNNER_HEALTH_PORT: "off",
      SVC_RUNNER_DATA_DIR: join(folder, "agent/data"),
      ...(hasSandbox
        ? { SVC_BROWSER_PATH: findBrowser(process.env.SVC_BROWSER_PATH, process.env).executablePath }
        : {}),
    });
    running.push(agent);
    const isConnected = () => agent.output().includes("connected to the control plane");
    await until("the agent is connected", () => agent.hasEnded() || isConnected(), { withinMs: 60_000 });
    expect(isConnected(), agent.output()).toBe(true);
    await expectSuccess({ type: "http", httpConfig: { url: site.url } }, location, agent);
    // It stays to the end: the check's next slot may come at any time, and the status of all checks is asked for below.
    const mcp = await startReferenceMcpServer();
    running.push(mcp.process);
    await expectSuccess({ type: "mcp", mcpConfig: { endpoint: mcp.endpoint } }, location, agent);
  });

  test.each([
    // A terminal sends Ctrl+C to all of its processes, an engine asks the first process of a container.
    { method: "npx", signal: "SIGINT", script: (text: string) => text },
    { method: "docker", signal: "SIGTERM", script: (text: string) => /sh -c '(.*)'$/.exec(text)?.[1] ?? "" },
  ] as const)(
    "the command of $method installs the agent that the service offers; it connects, and drains when it is ended",
    async ({ method, signal, script }) => {
      const { agentPackage } = await call<ServiceMeta>("GET", "/api/meta");
      const packageUrl = agentPackageUrl(api.url, agentPackage);
      expect(packageUrl).toContain("/install/svc-runner-agent-");
      const { location } = await call<{ location: Location }>("POST", "/api/locations", { name: method });
      const { key } = await call<{ key: { secret: string } }>(
        "POST",
        `/api/locations/${location.id}/keys`,
        {},
      );
      const runnerUrl = `http://127.0.0.1:${api.runnerPort}`;
      const text = script(installText(method, { runnerUrl, key: key.secret, packageUrl }));
      const home = join(folder, method);
      mkdirSync(home);
      const pasted = startProgram("setsid", ["sh", "-c", `cd "$HOME"; ${text}`], {
        HOME: home,
        SVC_RUNNER_KEY: key.secret,
        SVC_CONTROL_PLANE_URL: runnerUrl,
        SVC_RUNNER_HEALTH_PORT: "off",
        SVC_RUNNER_DATA_DIR: join(home, "data"),
        // What npm fetched before is at hand; the agent's package itself comes from the service.
        npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? "", ".npm"),
        npm_config_prefer_offline: "true",
      });
      running.push(pasted);
      const isConnected = async () =>
        pasted.hasEnded() ||
        (await call<{ runners: Runner[] }>("GET", `/api/locations/${location.id}/runners`)).runners.length >
          0;
      await until("the agent's first heartbeat", isConnected, { withinMs: 75_000 });
      expect(pasted.hasEnded(), pasted.output()).toBe(false);
      process.kill(signal === "SIGINT" ? -pasted.pid : pasted.pid, signal);
      await until("the agent has drained", () => /"msg":"stopped/.test(pasted.output()));
      await pasted.ended;
    },
  );

  test("the unit for systemd lies in the agent's package", () => {
    const unit = readFileSync(join(installed.folderOf("runner-agent"), "systemd/svc-runner.service"), "utf8");
    expect(unit).toContain("ExecStart=/usr/bin/env svc-runner");
  });

  test.runIf(hasSandbox)(
    `the agent runs browser checks: pages and scripts in TypeScript${SANDBOX_ADVICE}`,
    async () => {
      const { locations } = await call<{ locations: Location[] }>("GET", "/api/locations");
      const here = locations.find(({ name }) => name === "here") as Location;
      await expectSuccess(
        { type: "browser", browserConfig: { browserMode: "url", url: site.url } },
        here,
        agent,
      );
      const script = `import { expect, test } from "@playwright/test";
      test("says hello", async ({ page }) => {
        const url: string = "${site.url}";
        await page.goto(url);
        await expect(page.locator("h1")).toHaveText("Hello");
      });`;
      await expectSuccess(
        { type: "browser", browserConfig: { browserMode: "scripted", script } },
        here,
        agent,
      );
    },
  );

  test("svc writes a config, checks and tests it, deploys it and sees the first results", async () => {
    const { locations } = await call<{ locations: Location[] }>("GET", "/api/locations");
    const here = locations.find(({ name }) => name === "here") as Location;
    await svc("init", "--url", site.url);
    const config = join(folder, "project/svc.config.yaml");
    writeFileSync(config, readFileSync(config, "utf8").replace("loc_us_east", here.id));
    expect(await svc("validate")).toContain("1 monitor");
    expect(await svc("test", "--allow-private-network")).toContain("1 passed");
    expect(await svc("diff")).toContain("1 to create");
    expect(await svc("deploy", "--wait")).toContain("Applied 1 change");
    expect(await svc("status")).toContain("healthy");
    expect(JSON.parse(await svc("schema", "status"))).toHaveProperty("anyOf");
  });
});

async function isReady(controlPlane: RunningProcess): Promise<boolean> {
  try {
    return (await fetch(`${api.url}/readyz`)).ok;
  } catch (cause) {
    throw new Error(`no answer; the control plane printed:\n${controlPlane.output()}`, { cause });
  }
}

/** Makes a check at the location and waits for its first result, which must be a success. */
async function expectSuccess(input: object, { id }: Location, agent: RunningProcess): Promise<void> {
  const body = { name: "A check", frequencySeconds: 300, locations: [id], ...input };
  const { check } = await call<{ check: Check }>("POST", "/api/checks", body);
  const path = `/api/checks/${check.id}/results`;
  const result = await until(
    "a result",
    async () => {
      const { results } = await call<{ results: Result[] }>("GET", path);
      if (results.length === 0) throw new Error(`none yet; the agent printed:\n${agent.output()}`);
      return results[0];
    },
    { withinMs: 60_000 },
  );
  expect(result, JSON.stringify(result)).toMatchObject({ status: "success", locationId: id });
}

/** The packages below a folder, as `name@version`. */
function packagesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      ({ name, parentPath }) =>
        name === "package.json" && /\/node_modules\/(@[^/]+\/)?[^/]+$/.test(parentPath),
    )
    .map(({ parentPath }) => JSON.parse(readFileSync(join(parentPath, "package.json"), "utf8")))
    .filter(({ name }) => !name.startsWith("@svc/"))
    .map(({ name, version }) => `${name}@${version}`);
}
