/** Ownership: the resources that a deploy replaces, deletes by --prune, leaves alone, and adopts from another project. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryService } from "../../test-support/memory-service.ts";
import { runSvc, testFolder } from "../../test-support/run-svc.ts";

let folder: ReturnType<typeof testFolder>;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

const STATE = ".svc/.deploy-state.json";
const at = (path: string) => join(folder.path, path);
const write = (text: string) => writeFileSync(at("svc.config.yaml"), text);
const run = (service: { fetch: typeof fetch }, ...args: string[]) =>
  runSvc([...args, "--json"], { cwd: folder.path, fetch: service.fetch, env: { SVC_API_KEY: "sk_test" } });
const changedByOthers = (record: object | undefined) =>
  Object.assign(record ?? {}, { updatedAt: "2026-06-01T13:00:00.000Z" });

const HTTP = `project: p
monitors:
  - { name: a, type: http, url: "https://a.example.com", alerts: [{ conditions: [{ type: consecutive_failures }], channels: ["@one"] }] }
alertChannels: { one: { type: email, addresses: [a@example.com] } }
slos: [{ name: s, monitor: a, target: 99%, window: 7d }]
`;
const MCP = HTTP.replace("http, url:", "mcp, endpoint:");

describe("a change of type", () => {
  it("of a monitor that nobody else changed replaces it", async () => {
    const service = memoryService();
    write(HTTP);
    await run(service, "deploy");
    write(MCP);
    const ran = await run(service, "deploy");
    expect([ran.code, ran.json().data.drift]).toEqual([0, []]);
    expect(service.checks).toMatchObject([{ name: "a", type: "mcp" }]);
  });

  it("of a monitor that someone else changed is a conflict; --accept-remote leaves it and what belongs to it", async () => {
    const service = memoryService();
    write(HTTP);
    await run(service, "deploy");
    const [check] = service.checks;
    changedByOthers(check);
    write(MCP);
    const ran = await run(service, "deploy");
    expect([ran.code, ran.json().error.code]).toEqual([5, "drift_detected"]);
    const diff = (await run(service, "diff")).json();
    expect(diff.data.drift).toMatchObject([
      { kind: "check", name: "a", remoteId: check?.id, result: "conflict" },
      { kind: "check", name: "a", remoteId: null, result: "conflict" },
    ]);
    const accepted = await run(service, "deploy", "--accept-remote");
    expect([accepted.code, accepted.stderr]).toEqual([0, ""]);
    expect(service.checks).toEqual([check]);
    expect(service.slos).toMatchObject([{ name: "s", checkId: check?.id }]);
    expect((await run(service, "deploy", "--force")).code).toBe(0);
    expect(service.checks).toMatchObject([{ name: "a", type: "mcp" }]);
  });

  it("of a monitor that was never deployed from here is a conflict, too", async () => {
    const service = memoryService();
    write(HTTP);
    await run(service, "deploy");
    rmSync(at(".svc"), { recursive: true });
    write(MCP.replace("project: p", "project: another"));
    expect((await run(service, "deploy")).code).toBe(5);
    expect(service.checks).toMatchObject([{ type: "http" }]);
  });

  it("of a channel that someone else changed is a conflict", async () => {
    const service = memoryService();
    write(HTTP);
    await run(service, "deploy");
    changedByOthers(service.channels[0]);
    write(
      HTTP.replace("type: email, addresses: [a@example.com]", "type: webhook, url: https://h.example.com"),
    );
    expect((await run(service, "deploy")).code).toBe(5);
    expect(service.channels).toMatchObject([{ type: "email" }]);
    expect((await run(service, "deploy", "--accept-remote")).code).toBe(0);
    expect(service.channels).toMatchObject([{ type: "email" }]);
  });

  it("shows the alert rules that go with the monitor, and deletes them", async () => {
    const service = memoryService();
    write(`${HTTP.trimEnd()}\n`);
    await run(service, "deploy");
    const [check] = service.checks;
    await service.fetch(`https://svc.example/api/checks/${check?.id}/alerts`, {
      method: "POST",
      body: JSON.stringify({
        name: "by hand",
        enabled: true,
        conditions: [{ type: "missed_runs", count: 2 }],
        channelIds: [],
        confirm: false,
        recovery: { consecutiveSuccesses: 1 },
      }),
    });
    write(MCP);
    const { data } = (await run(service, "diff")).json();
    expect(data.changes).toContainEqual(
      expect.objectContaining({
        type: "delete",
        kind: "alert",
        name: expect.stringContaining("/ by hand"),
      }),
    );
    expect((await run(service, "deploy")).code).toBe(5);
    await run(service, "deploy", "--accept-remote");
    expect(service.checks).toMatchObject([{ id: check?.id, type: "http" }]);
    expect((await run(service, "deploy", "--force")).code).toBe(0);
    expect(service.checks).toMatchObject([{ type: "mcp" }]);
  });

  it("shows the SLOs beyond the config that go with the monitor", async () => {
    const service = memoryService();
    write(HTTP);
    await run(service, "deploy");
    const [own] = service.slos;
    service.slos.push({ ...own, id: "slos_other", name: "other" });
    write(MCP);
    const { data } = (await run(service, "diff")).json();
    expect(data.changes).toContainEqual(
      expect.objectContaining({ type: "delete", kind: "slo", name: "other" }),
    );
  });
});

describe("--prune", () => {
  it("leaves alone what pull calls unmanaged, and the channel that it notifies, and says so", async () => {
    const service = memoryService();
    write(HTTP);
    await run(service, "deploy");
    const common = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: null, enabled: true };
    const url = { browserMode: "url", url: "https://a.example.com" };
    service.checks.push({ ...common, id: "chk_page", name: "page", type: "browser", configJson: url });
    service.channels.push({
      ...common,
      id: "nch_page",
      name: "page",
      type: "email",
      config: { type: "email" },
    });
    service.slos.push({
      ...service.slos[0],
      id: "slo_page",
      name: "page",
      checkId: "chk_page",
      channelIds: ["nch_page"],
    });
    const ran = await run(service, "deploy", "--prune");
    expect(ran.code).toBe(0);
    expect(ran.json().data.leftAlone).toMatchObject([
      { kind: "channel", name: "page", reason: '"page", which deploys leave alone, notifies it' },
      { kind: "check", name: "page", reason: "a config can't describe it" },
      { kind: "slo", name: "page", reason: 'it is of "page", which a config can\'t describe' },
    ]);
    expect([service.checks.length, service.channels.length, service.slos.length]).toEqual([2, 2, 2]);
  });

  it("names the project of what another project deployed", async () => {
    const service = memoryService();
    write(HTTP);
    await run(service, "deploy");
    rmSync(at(".svc"), { recursive: true });
    write("project: q\n");
    const { data } = (await run(service, "deploy", "--prune")).json();
    expect(data.leftAlone).toContainEqual(
      expect.objectContaining({ kind: "check", name: "a", reason: "deployed by the project p" }),
    );
    expect(service.checks).toHaveLength(1);
  });
});

describe("a project that is renamed", () => {
  it.each([
    ["by the state of this machine", false, ""],
    ["by renamedFrom on another machine", true, "renamedFrom: p\n"],
  ])("takes over its resources, known %s", async (_title, isElsewhere, line) => {
    const service = memoryService();
    write(HTTP);
    await run(service, "deploy");
    if (isElsewhere) rmSync(at(".svc"), { recursive: true });
    write(`project: q\n${line}`);
    const ran = await run(service, "deploy", "--prune");
    expect([ran.code, ran.json().data.renamedFrom]).toEqual([0, "p"]);
    expect(service.checks).toEqual([]);
    expect(service.projects).toEqual(["q"]);
    expect((await run(service, "diff")).json().data.renamedFrom).toBeUndefined();
  });

  it("still meets drift", async () => {
    const service = memoryService();
    write(HTTP);
    await run(service, "deploy");
    changedByOthers(Object.assign(service.checks[0] ?? {}, { frequencySeconds: 60 }));
    write(HTTP.replace("project: p", "project: q"));
    expect((await run(service, "deploy")).code).toBe(5);
    expect(service.projects).toEqual(["p"]);
  });
});

it("a pull into another file leaves the state of the config beside it alone", async () => {
  const service = memoryService();
  write(HTTP);
  await run(service, "deploy");
  const state = readFileSync(at(STATE), "utf8");
  changedByOthers(Object.assign(service.checks[0] ?? {}, { frequencySeconds: 60 }));
  expect((await run(service, "pull", "-o", "other.yaml")).code).toBe(0);
  expect(readFileSync(at(STATE), "utf8")).toBe(state);
  expect((await run(service, "deploy")).code).toBe(5);
  mkdirSync(at("elsewhere"));
  expect((await run(service, "pull", "-o", "elsewhere")).code).toBe(0);
  expect(existsSync(at(`elsewhere/${STATE}`))).toBe(true);
});
