import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Check, DeployPlan } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CliStage, setCliStage } from "./stage.ts";

let stage: CliStage;
beforeAll(async () => {
  stage = await setCliStage();
});
afterAll(() => stage.strike(), 60_000);

const CONFIG = `
project: shop
alertChannels:
  ops: { type: webhook, url: "https://hooks.example.com/{{secrets.HOOK}}", headers: { X-Token: "{{secrets.HOOK}}" } }
defaults:
  frequency: 1h
  locations: [loc_us_east]
monitors:
  - name: home
    type: http
    url: https://shop.example.com/
    headers: { Authorization: "Bearer {{secrets.HOOK}}" }
    assertions: [{ type: status_code, value: 200 }]
    labels: [team:web]
    alerts:
      - conditions: [{ type: consecutive_failures }]
        channels: ["@ops"]
  - name: flow
    type: browser
    script: ./flow.ts
  - { name: tools, type: mcp, endpoint: "https://mcp.example.com/" }
slos:
  - { name: home up, monitor: home, target: 99.9%, window: 30d, channels: ["@ops"] }
maintenanceWindows:
  - { name: night, checks: [home], startsAt: "2030-01-01T00:00", endsAt: "2030-01-01T02:00", timezone: Europe/Berlin }
`;
const env = { HOOK: "s3cret-hook-value" };
const deploy = (...args: string[]) => stage.json(["deploy", ...args], env);
const diff = () => stage.json(["diff"], env);
const checks = async () => (await stage.controlPlane.ok<{ checks: Check[] }>("GET", "/api/checks")).checks;
const checkNamed = async (name: string) => (await checks()).find((check) => check.name === name) as Check;
const put = (path: string, body: unknown) => stage.controlPlane.ok("PUT", path, body);
const changed = (answer: { data: { changes: { type: string; kind: string; name: string }[] } }) =>
  answer.data.changes
    .filter(({ type }) => type !== "unchanged")
    .map(({ type, kind, name }) => `${type} ${kind} ${name}`);

test("a config is deployed, and then nothing is left to do", async () => {
  stage.write("svc.config.yaml", CONFIG);
  stage.write("flow.ts", '// @step: Open\nawait page.goto("https://shop.example.com");\n');
  const first = await deploy();
  expect(first).toMatchObject({ code: 0, ok: true, data: { project: "shop", applied: 7 } });
  expect(first.data.changes).toContainEqual({
    type: "create",
    kind: "check",
    name: "home",
    remoteId: null,
    fieldChanges: [],
    checkType: "http",
    frequencySeconds: 3600,
    locationCount: 1,
  });
  const again = await deploy();
  expect(again.data.summary).toEqual({ create: 0, update: 0, delete: 0, unchanged: 7 });
  const home = await checkNamed("home");
  expect((await stage.controlPlane.ok("GET", `/api/checks/${home.id}/labels`)).labels).toEqual(["team:web"]);
  const changes = await stage.controlPlane.ok<{ changes: { source: string; type: string }[] }>(
    "GET",
    "/api/changes",
  );
  expect(
    changes.changes.filter(({ type }) => type === "check").every(({ source }) => source === "yaml"),
  ).toBe(true);
});

test("an edited field is shown and sent; what is secret is not shown", async () => {
  stage.write(
    "svc.config.yaml",
    CONFIG.replace("shop.example.com/\n", "shop.example.com/v2\n").replace("team:web", "team:api"),
  );
  const plan = await stage.json(["diff"], { HOOK: "another-secret-value" });
  expect(plan.data.changes.find(({ name }: { name: string }) => name === "home").fieldChanges).toEqual([
    { field: "url", oldValue: "https://shop.example.com/", newValue: "https://shop.example.com/v2" },
    {
      field: "headers.Authorization",
      oldValue: "***REDACTED***",
      newValue: "***REDACTED***",
      redacted: true,
    },
    { field: "labels", oldValue: ["team:web"], newValue: ["team:api"] },
  ]);
  expect(JSON.stringify(plan)).not.toMatch(/s3cret-hook|another-secret/);
  const text = await stage.run(["diff"], { env });
  expect(text.stdout).toMatch(/~ monitor "home"\n/);
  expect(text.stdout).toContain("url: https://shop.example.com/ -> https://shop.example.com/v2");
  expect(text.stdout).toContain("Plan: 0 to create, 1 to update, 0 to delete, 6 unchanged");
  expect(changed(await deploy())).toEqual(["update check home"]);
  expect(changed(await diff())).toEqual([]);
});

test("what someone changed on the service is drift, also on a machine without the state file", async () => {
  stage.write("svc.config.yaml", CONFIG);
  await deploy();
  const { id } = await checkNamed("home");
  await put(`/api/checks/${id}`, { frequencySeconds: 600 });
  const refused = await deploy();
  expect(refused).toMatchObject({ code: 5, ok: false, error: { code: "drift_detected" } });
  expect(refused.error.details.drift).toMatchObject([{ kind: "check", name: "home", result: "drift" }]);
  expect(await diff()).toMatchObject({ code: 5, ok: true, data: { drift: [{ result: "drift" }] } });
  const other = stage.otherFolder();
  cpSync(stage.folder, other, { recursive: true });
  rmSync(join(other, ".svc"), { recursive: true });
  expect((await stage.run(["deploy"], { cwd: other, env })).code).toBe(5);

  stage.write(
    "svc.config.yaml",
    CONFIG.replace("https://shop.example.com/\n", "https://shop.example.com/x\n"),
  );
  expect((await deploy()).error.details.drift).toMatchObject([{ result: "conflict" }]);
  const accepted = await deploy("--accept-remote");
  expect(accepted).toMatchObject({ code: 0, data: { applied: 0, skipped: [{ name: "home" }] } });
  expect((await checkNamed("home")).frequencySeconds).toBe(600);
  expect(await deploy("--force", "--accept-remote")).toMatchObject({ code: 1 });
  expect(await deploy("--force")).toMatchObject({ code: 0 });
  expect(await checkNamed("home")).toMatchObject({
    frequencySeconds: 3600,
    configJson: { url: "https://shop.example.com/x" },
  });
});

test("a renamed monitor keeps its check; a rule that is dropped is deleted without --prune", async () => {
  stage.write("svc.config.yaml", CONFIG);
  await deploy("--force");
  const { id } = await checkNamed("home");
  const renamed = CONFIG.replace("- name: home", "- name: front\n    renamedFrom: home")
    .replace("monitor: home", "monitor: front")
    .replace("checks: [home]", "checks: [front]")
    .replace(/ {4}alerts:\n.*\n.*\n/, "    alerts: []\n");
  stage.write("svc.config.yaml", renamed);
  const answer = await deploy();
  expect(answer.code).toBe(0);
  expect(changed(answer)).toEqual(["update check front", "delete alert front / rule 1"]);
  expect((await checkNamed("front")).id).toBe(id);
  expect((await stage.controlPlane.ok<{ alerts: unknown[] }>("GET", "/api/alerts")).alerts).toEqual([]);
  expect(changed(await diff())).toEqual([]);
  stage.write("svc.config.yaml", CONFIG.replace("- name: home", "- name: home\n    renamedFrom: front"));
  expect((await deploy()).code).toBe(0);
  expect((await checkNamed("home")).id).toBe(id);
});

test("a channel whose type changes is made anew; rules and SLOs point to the new one, the old one is gone", async () => {
  stage.write("svc.config.yaml", CONFIG);
  await deploy("--force");
  stage.write(
    "svc.config.yaml",
    CONFIG.replace(/ {2}ops: .*\n/, "  ops: { type: email, addresses: [a@example.com] }\n"),
  );
  const answer = await deploy();
  expect(answer.error).toBeUndefined();
  const { channels } = await stage.controlPlane.ok<{ channels: { id: string; type: string }[] }>(
    "GET",
    "/api/notification-channels",
  );
  expect(channels).toMatchObject([{ name: "ops", type: "email" }]);
  const { alerts } = await stage.controlPlane.ok<{ alerts: { channelIds: string[] }[] }>(
    "GET",
    "/api/alerts",
  );
  expect(alerts[0]?.channelIds).toEqual([channels[0]?.id]);
  expect(changed(await diff())).toEqual([]);
});

test("monitors that depend on each other are deployed in any order, turned round, replaced and pulled", async () => {
  const web = (name: string, rest: string) =>
    `  - { name: ${name}, type: http, url: https://x.example.com, locations: [loc_us_east]${rest} }\n`;
  const ping = "  - { name: a, type: ping, host: x.example.com, locations: [loc_us_east] }\n";
  const dependencies = async () => {
    const all = (
      await stage.controlPlane.ok<{ checks: { id: string; name: string; dependsOn?: string[] }[] }>(
        "GET",
        "/api/checks",
      )
    ).checks;
    const nameOf = (id: string) => all.find((one) => one.id === id)?.name;
    return Object.fromEntries(
      all.flatMap(({ name, dependsOn }) => (dependsOn ? [[name, dependsOn.map(nameOf)]] : [])),
    );
  };
  const folder = stage.otherFolder();
  const run = async (monitors: string, command = "deploy") => {
    writeFileSync(join(folder, "svc.config.yaml"), `project: chain\nmonitors:\n${monitors}`);
    return (await stage.run([command, "--force", "--json"], { cwd: folder })).code;
  };
  expect(await run(web("c", ", dependsOn: [b]") + web("b", ", dependsOn: [a]") + web("a", ""))).toBe(0);
  expect(await dependencies()).toEqual({ c: ["b"], b: ["a"] });
  expect(await run(web("c", "") + web("b", ", dependsOn: [c]") + web("a", ", dependsOn: [b]"))).toBe(0);
  expect(await dependencies()).toEqual({ a: ["b"], b: ["c"] });
  expect(await run(web("c", "") + web("b", ", dependsOn: [a]") + ping)).toBe(0);
  expect(await dependencies()).toEqual({ b: ["a"] });
  const pulled = stage.otherFolder();
  expect((await stage.run(["pull", "-o", pulled], { cwd: pulled })).code).toBe(0);
  expect(readFileSync(join(pulled, "svc.config.yaml"), "utf8")).toMatch(
    /dependsOn:\s*(\[ ?a ?\]|\n\s*- a\n)/,
  );
  const rest = `project: chain\nmonitors: []\n`;
  writeFileSync(join(folder, "svc.config.yaml"), rest);
  expect((await stage.run(["deploy", "--prune"], { cwd: folder })).code).toBe(0);
});

test("only --prune deletes what the config no longer has, and never another project's", async () => {
  stage.write("svc.config.yaml", CONFIG);
  await deploy("--force");
  const other = stage.otherFolder();
  stage.write(
    "svc.config.yaml",
    "project: other\nmonitors:\n  - { name: theirs, type: http, url: https://x.example.com, locations: [loc_us_east] }\n",
  );
  cpSync(join(stage.folder, "svc.config.yaml"), join(other, "svc.config.yaml"));
  expect((await stage.run(["deploy"], { cwd: other })).code).toBe(0);
  stage.write("svc.config.yaml", CONFIG.replace(/ {2}- \{ name: tools.*\n/, ""));
  const kept = await deploy();
  expect(kept.data).toMatchObject({ summary: { delete: 0 }, prunable: [{ kind: "check", name: "tools" }] });
  expect(changed(await deploy("--prune"))).toEqual(["delete check tools"]);
  expect((await checks()).map(({ name }) => name).sort()).toEqual(["flow", "home", "theirs"]);
});

test("diff --publish shows the plan by a link, without the value of a secret", async () => {
  stage.write(
    "svc.config.yaml",
    CONFIG.replace("name: home\n", "name: front\n")
      .replace("checks: [home]", "checks: [front]")
      .replace("monitor: home", "monitor: front"),
  );
  const { code, data } = await stage.json(["diff", "--publish"], {
    ...env,
    GITHUB_SHA: "abc123",
    GITHUB_REF_NAME: "rename",
  });
  expect([code, data.published.url]).toEqual([0, `${stage.controlPlane.url}/plans/${data.published.id}`]);
  const { plan } = await stage.controlPlane.ok<{ plan: DeployPlan }>(
    "GET",
    `/api/plans/${data.published.id}`,
  );
  expect(plan).toMatchObject({
    project: "shop",
    summary: data.summary,
    ci: { commit: "abc123", branch: "rename" },
    author: expect.any(String),
  });
  expect(plan.changes).toEqual(
    data.changes.flatMap(
      ({ checkType: _, frequencySeconds: _f, locationCount: _l, ...change }: Record<string, unknown>) =>
        change.type === "unchanged" ? [] : [change],
    ),
  );
  expect(JSON.stringify(plan)).not.toContain(env.HOOK);
  const { stdout } = await stage.run(["diff", "--publish"], { env });
  expect(stdout).toContain(`Published: ${stage.controlPlane.url}/plans/plan_`);
  stage.write("svc.config.yaml", CONFIG);
});

test("diff --format markdown writes the plan for a comment, and is refused beside --json", async () => {
  stage.write("svc.config.yaml", CONFIG);
  await deploy("--force");
  stage.write("svc.config.yaml", CONFIG.replace("shop.example.com/\n", "shop.example.com/v3\n"));
  const { code, stdout } = await stage.run(["diff", "--format", "markdown"], { env });
  expect(code).toBe(0);
  expect(stdout).toContain("**0 to create, 1 to update, 0 to delete, 6 unchanged**\n");
  expect(stdout).toContain(
    "| update | monitor `home` | `url`: `https://shop.example.com/` → `https://shop.example.com/v3` |\n",
  );
  const refused = await stage.run(["diff", "--format", "markdown", "--json"], { env });
  expect([refused.code, refused.stdout]).toEqual([
    1,
    expect.stringContaining("--format markdown can't be used with --json or --backtest"),
  ]);
});

test("diff --backtest says of each new or changed rule how often it would have fired", async () => {
  const home = (count: number) =>
    CONFIG.replace("{ type: consecutive_failures }", `{ type: consecutive_failures, count: ${count} }`);
  stage.write("svc.config.yaml", home(2));
  await deploy("--force", "--prune");
  const unchanged = await stage.json(["diff", "--backtest", "7d"], env);
  expect([unchanged.code, unchanged.data.backtest]).toEqual([0, []]);
  const added = `  - name: fresh
    type: http
    url: https://fresh.example.com/
    alerts: [{ conditions: [{ type: missed_runs }], channels: ["@ops"] }]
`;
  stage.write("svc.config.yaml", home(3).replace("  - name: flow\n", `${added}  - name: flow\n`));
  const { data } = await stage.json(["diff", "--backtest", "30d"], env);
  const none = { count: 0, durationMs: 0, unconfirmed: 0, notReplayable: [] };
  expect(data.backtest).toMatchObject([
    { monitor: "home", range: "30d", after: none, before: none },
    { monitor: "fresh", after: null },
  ]);
  const { stdout } = await stage.run(["diff", "--backtest", "30d"], { env });
  const [here] = data.capacity.locations;
  expect(here.after.runsPerHour - here.before.runsPerHour).toBe(1);
  expect(stdout).toMatch(/^\S.*: [\d,]+ -> [\d,]+ runs an hour, /m);
  expect(stdout).toMatch(/Last 30d: .*home.* would have fired never, as it is now never/);
  const refused = await stage.json(["diff", "--backtest", "31d"], env);
  expect([refused.code, JSON.stringify(refused)]).toEqual([1, expect.stringContaining("1d to 30d")]);
});
