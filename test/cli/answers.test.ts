/**
 * Every command with a --json mode, run against a real control plane: `runSvc` holds each output against the command's schema, and at the
 * end no command may be left out.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMMANDS } from "../../cli/src/program/registry.ts";
import { type RunOptions, runSvc } from "../../cli/test-support/run-svc.ts";
import { decideDeviceCode } from "../harness/device-code.ts";
import { startModelEndpoint } from "../harness/model-endpoint.ts";
import { until } from "../harness/wait.ts";
import { type CliStage, setCliStage } from "./stage.ts";

let stage: CliStage;
let model: Awaited<ReturnType<typeof startModelEndpoint>>;
beforeAll(async () => {
  model = await startModelEndpoint();
  model.answerWith(() => '```\n// @step: Open\nawait page.goto("https://shop.example/");\n```');
  stage = await setCliStage({ SVC_EMBEDDED_RUNNER: "true", ...model.environment });
});
afterAll(async () => {
  await stage?.strike();
  model?.close();
});

/** Commands that answered by their schema with what they are for, not with a failure. */
const answered = new Set<string>();

/** Runs a command with --json, within this process. */
async function run(words: string, args: readonly string[] = [], options: RunOptions = {}) {
  const { controlPlane, folder } = stage;
  return await runSvc([...words.split(" "), "--json", ...args], {
    cwd: folder,
    homeFolder: folder,
    fetch,
    nowMs: () => Date.now(),
    ...options,
    env: { SVC_API_URL: controlPlane.url, SVC_API_KEY: controlPlane.apiKey, ...options.env },
  });
}

/** Runs a command that does its work. @returns `data` of its envelope */
async function answer(words: string, args: readonly string[] = [], options: RunOptions = {}) {
  const ran = await run(words, args, options);
  const { ok, data, error } = ran.json();
  expect([words, error, ok]).toEqual([words, undefined, true]);
  answered.add(words);
  return data;
}

test("the account and the tools", async () => {
  await answer("schema");
  await answer("complete", ["--", "mon"]);
  await answer("completions", ["bash"]);
  await answer("keys");
  await answer("api", ["/api/meta"]);
  await answer("dashboards install", ["--output", "dashboards"]);
  const failed = await run("import", ["--from", "playwright"]);
  expect(failed.json().error.details).toEqual({
    from: "playwright",
    path: null,
    output: ".",
    imported: 0,
    exitCode: 1,
  });
  stage.write(
    "gatus.yaml",
    'endpoints: [{ name: home, url: "https://example.org", conditions: ["[STATUS] == 200"] }]',
  );
  await answer("import", ["--from", "gatus", "gatus.yaml", "--output", "imported"]);
  const openBrowser = (url: string) => decideDeviceCode(stage.controlPlane, url, "authorize");
  await answer("login", [], { openBrowser, env: { SVC_API_KEY: "" } });
  await answer("logout", ["--revoke"], { env: { SVC_API_KEY: "" } });
  await answer("secrets set", ["TOKEN"], { stdin: "s3cr3t-value" });
  await answer("secrets list");
  await answer("secrets delete", ["TOKEN", "--yes"]);
  await answer("audit");
});

test("locations and API specs", async () => {
  await answer("locations create", ["office"]);
  await answer("locations list", ["--all"]);
  await answer("locations update", ["office", "--latitude", "52.5"]);
  await answer("locations runners", ["office"]);
  await answer("locations install-command", ["office"]);
  await answer("locations keys create", ["office", "--name", "rack"]);
  await answer("locations keys list", ["office"]);
  await answer("locations keys delete", ["office", "rack", "--yes"]);
  await answer("locations delete", ["office", "--yes"]);
  const operation = { summary: "Orders", responses: { 200: { description: "ok" } } };
  const document = {
    openapi: "3.1.0",
    info: { title: "Shop", version: "1" },
    paths: { "/orders": { get: operation } },
  };
  stage.write("openapi.json", JSON.stringify(document));
  await answer("specs upload", ["openapi.json"]);
  await answer("specs list");
  await answer("specs get", ["Shop"]);
  await answer("specs delete", ["Shop", "--yes"]);
});

test("a monitor, what it measures, what alerts of it and who is notified", async () => {
  const hook = { url: `${stage.controlPlane.url}/healthz?token=s3cr3t` };
  await answer("channels create", ["Hook", "--type", "webhook", "--set", `url=${hook.url}`]);
  await answer("channels list");
  await answer("channels get", ["Hook"]);
  await answer("channels edit", ["Hook", "--name", "Hooks", "--yes"]);
  const where = ["--locations", "loc_us_east", "--frequency", "10s"];
  const url = ["--type", "http", "--url", "http://127.0.0.1:9/"];
  const { monitor } = await answer("monitors create", ["--name", "Broken", ...url, ...where]);
  await answer("api", ["-X", "PUT", `/api/checks/${monitor.id}/labels`, "-d", '{"labels":["team:shop"]}']);
  await answer("alerts rules create", [
    ...["--monitor", "Broken", "--name", "Down", "--channel", "Hooks"],
    ...["--condition", "consecutive_failures count=1"],
  ]);
  await answer("alerts rules list");
  await answer("alerts rules get", ["Down"]);
  await answer("alerts rules edit", ["Down", "--condition", "consecutive_failures count=2", "--yes"]);
  await answer("alerts explain", ["Down"]);
  await answer("alerts policies create", [
    ...["--name", "Shop", "--label", "team:shop", "--channel", "Hooks"],
    ...["--condition", "consecutive_failures count=2"],
  ]);
  await answer("alerts policies list");
  await answer("alerts policies get", ["Shop"]);
  await answer("alerts policies edit", ["Shop", "--name", "Shops", "--yes"]);

  const alert = await until("an alert is open", async () => {
    const { alerts } = await answer("alerts list", ["--monitor", "Broken"]);
    return alerts.find(({ ruleName }: { ruleName: string }) => ruleName === "Down");
  });
  await answer("alerts get", [alert.id]);
  await answer("alerts ack", [alert.id]);
  await answer("alerts mute", [alert.id, "--for", "1h"]);
  await answer("alerts unmute", [alert.id]);
  await answer("alerts resolve", [alert.id]);
  const incident = await until(
    "there is an incident",
    async () => (await answer("incidents list")).incidents[0],
  );
  await answer("incidents get", [incident.id]);
  await answer("incidents policy set", ["--step", "1440=Hooks"]);
  await answer("incidents policy get");
  await answer("incidents policy set", ["--none"]);
  const page = ["shop", "--title", "Shop", "--component", "Website=Broken", "--publish"];
  await answer("status-pages create", page);
  await answer("status-pages list");
  await answer("status-pages get", ["shop"]);
  await answer("status-pages edit", ["shop", "--title", "Shops", "--yes"]);
  const notice = ["shop", "--title", "Slow", "--text", "We look.", "--component", "Website"];
  const { notice: written } = await answer("status-pages notices create", notice);
  await answer("status-pages notices list", ["shop"]);
  const resolved = ["--status", "resolved", "--text", "Fast again."];
  await answer("status-pages notices update", ["shop", written.id, ...resolved]);
  await answer("status-pages notices edit", ["shop", written.id, "--title", "Very slow", "--yes"]);
  await answer("status-pages subscribers add", ["shop", "--url", "http://127.0.0.1:9/"]);
  const { subscribers } = await answer("status-pages subscribers list", ["shop"]);
  await answer("status-pages subscribers delete", ["shop", subscribers[0].id, "--yes"]);
  await answer("status-pages notices delete", ["shop", written.id, "--yes"]);
  await answer("status-pages delete", ["shop", "--yes"]);
  await answer("channels test", ["Hooks"]);
  const { deliveries } = await answer("channels deliveries", ["Hooks"]);
  await answer("channels redeliver", ["Hooks", deliveries[0].id]);

  await answer("monitors list");
  await answer("monitors get", ["Broken"]);
  await answer("monitors analyze", ["Broken"]);
  await answer("monitors generate", ["open the shop"]);
  model.answerWith(() => '```yaml\nthirdPartyPatterns: [{ name: CDN, hostPattern: "*.cdn.example" }]\n```');
  await answer("generate", ["watch our content network"]);
  await answer("status");
  const { results } = await answer("results list", ["Broken"]);
  await answer("results get", ["Broken", results[0].id]);
  await answer("alerts rules disable", ["Down"]);
  await answer("alerts rules enable", ["Down"]);
  await answer("rotas create", ["--name", "Days", "--handover", "monday 09:00", "--member", "Ada=Hooks"]);
  await answer("rotas list");
  await answer("rotas get", ["Days"]);
  await answer("rotas edit", ["Days", "--timezone", "Europe/Berlin", "--yes"]);
  await answer("rotas override", ["Days", "--member", "Ada", "--for", "4h"]);
  await answer("rotas schedule", ["Days"]);
  await answer("incidents policy set", ["--step", "5=rota:Days"]);
  await answer("incidents policy get");
  await answer("incidents policy set", ["--none"]);
  await answer("rotas delete", ["Days", "--yes"]);
  await answer("reports list");
  await answer("reports show", [new Date().toISOString().slice(0, 7)]);
  await answer("reports recipients set", ["--none"]);
  await answer("reports recipients get");
  await answer("alerts rules delete", ["Down", "--yes"]);
  await answer("alerts policies delete", ["Shops", "--yes"]);
  await answer("log");
});

test("streams", async () => {
  const interruption = new AbortController();
  const watch = { interrupted: interruption.signal, wait: () => interruption.abort() };
  expect((await run("status --watch", [], watch)).stdout).toContain('"name":"Broken"');

  const newest = async () => (await answer("results list", ["Broken", "--limit", "1"])).results[0].id;
  const ended = new AbortController();
  const before = await newest();
  let hasMore = false;
  const wait = async () => {
    // The tail reads after each wait: one after the wait in which a result came, it has written that.
    if (hasMore) ended.abort();
    else hasMore = await until("there is a new result", async () => (await newest()) !== before);
  };
  const tail = await run("results tail", ["Broken"], { interrupted: ended.signal, wait });
  expect(JSON.parse(tail.stdout.split("\n")[0] ?? "")).toMatchObject({ status: "error" });
  answered.add("results tail");
});

test("SLOs, maintenance windows, and the end of a monitor", async () => {
  const target = ["--target", "99.5%", "--window", "7d"];
  await answer("slos create", ["--name", "Up", "--monitor", "Broken", ...target, "--channel", "Hooks"]);
  await answer("slos list");
  await answer("slos get", ["Up"]);
  await answer("slos status", ["Up"]);
  await answer("slos edit", ["Up", "--target", "99%", "--yes"]);
  await answer("slos delete", ["Up", "--yes"]);
  await answer("maintenance create", ["Work", "--monitor", "Broken", "--for", "1h"]);
  await answer("maintenance list");
  await answer("maintenance get", ["Work"]);
  await answer("maintenance edit", ["Work", "--all", "--yes"]);
  await answer("maintenance delete", ["Work", "--yes"]);
  await answer("monitors edit", ["Broken", "--frequency", "1m", "--yes"]);
  await answer("monitors pause", ["Broken"]);
  await answer("monitors resume", ["Broken"]);
  await answer("monitors delete", ["Broken", "--yes"]);
  await answer("channels delete", ["Hooks", "--yes"]);
});

test("a config", async () => {
  const env = { SVC_SECRET_HOOK: "s3cr3t-path" };
  await answer("init", ["--url", `${stage.controlPlane.url}/healthz`]);
  await answer("validate");
  await answer("test", ["--allow-private-network"]);
  stage.write(
    "svc.config.yaml",
    `${stage.read("svc.config.yaml")}
alertChannels:
  hook: { type: webhook, url: "https://hooks.example/{{secrets.HOOK}}" }
alertPolicies:
  - { name: Down, labels: [prod], conditions: [{ type: consecutive_failures }], channels: ["@hook"] }
`,
  );
  await answer("diff", ["--backtest", "1d", "--publish"], { env });
  await answer("deploy", ["--dry-run"], { env });
  await answer("deploy", [], { env });
  const { checks } = await answer("api", ["/api/checks"]);
  await answer("api", ["-X", "PUT", `/api/checks/${checks[0].id}`, "-d", '{"frequencySeconds":120}']);
  const drifted = (await run("deploy", [], { env })).json();
  expect(drifted.error).toMatchObject({ code: "drift_detected", details: { drift: [{ result: "drift" }] } });
  await answer("deploy", ["--accept-remote"], { env });
  await answer("pull", ["--force"], { env });
  stage.write("svc.config.yaml", "project: 1\nmonitors: [{}]\n");
  expect((await run("validate")).json().error.details.problems.length).toBeGreaterThan(1);
});

test("each command with a --json mode has answered by its schema", async () => {
  const missing: string[] = [];
  for (const { path, load } of COMMANDS)
    if ((await load()).command.hasJson !== false && !answered.has(path)) missing.push(path);
  expect(missing).toEqual([]);
});
