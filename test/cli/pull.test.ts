import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Check } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CliStage, setCliStage } from "./stage.ts";

let stage: CliStage;
beforeAll(async () => {
  stage = await setCliStage();
  await fill();
}, 120_000);
afterAll(() => stage.strike(), 60_000);

const HOSTILE = 'a "b": #c \u001b[31m{{env.HOME}} ${PATH} \\{{secrets.X}}\n- x: &y *z';
const SECRETS = [
  "s3cret-basic-user",
  "s3cret-basic-password",
  "s3cret-bearer",
  "s3cret-mcp-key",
  "s3cret-tool-token",
  "s3cret-chat-hook",
  "s3cret-web-hook",
  "s3cret-web-header",
  "s3cret-routing",
  "s3cret-snow-user",
  "s3cret-snow-password",
  "s3cret-url-user",
  "s3cret-url-password",
  "s3cret-url-token",
  "s3cret-header",
];
const SCRIPT =
  '// @step: Open\nawait page.goto("https://shop.example.com/{{env.HOME}}");\n\tconst a = `${1}`; // \\{{secrets.A}}\r\n';

const post = <Answer>(path: string, body: unknown) => stage.controlPlane.ok<Answer>("POST", path, body);

/** Everything that the API can hold, in a few resources. */
async function fill(): Promise<void> {
  const channel = async (name: string, config: object) =>
    (await post<{ channel: { id: string } }>("/api/notification-channels", { name, channel: config })).channel
      .id;
  const chat = await channel("chat", {
    type: "chat",
    webhookUrl: "https://chat.example.com/s3cret-chat-hook",
  });
  const odd = await channel('odd: {{env.X}} #"', { type: "email", addresses: ["a@example.com"] });
  const web = await channel("web", {
    type: "webhook",
    url: "https://hooks.example.com/s3cret-web-hook",
    method: "PUT",
    headers: { "X-Token": "s3cret-web-header" },
  });
  await stage.controlPlane.ok("PUT", `/api/notification-channels/${web}`, {
    incidentSubscribed: false,
    incidentTemplate: {
      channelType: "webhook",
      overrides: { opened: { body: '{"text": {{jsonBody incident.title}}, "path": "${PATH}" }\n' } },
    },
  });
  const page = await channel("page", { type: "paging", routingKey: "s3cret-routing", serviceRegion: "eu" });
  const desk = await channel("desk", {
    type: "ticketing",
    instanceUrl: "https://desk.example.com",
    assignmentGroup: "ops",
    username: "s3cret-snow-user",
    password: "s3cret-snow-password",
  });
  const check = async (body: object) =>
    (
      await post<{ check: Check }>("/api/checks", {
        locations: ["loc_us_east"],
        frequencySeconds: 3600,
        ...body,
      })
    ).check.id;
  const { spec } = await post<{ spec: { id: string } }>("/api/specs", {
    sourceType: "upload",
    content: JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, paths: {} }),
  });
  const full = await check({
    name: HOSTILE,
    type: "http",
    enabled: false,
    frequencySeconds: 90,
    locations: ["loc_eu_north", "loc_us_east"],
    retry: {
      strategy: "linear",
      maxRetries: 2,
      baseBackoffSeconds: 1,
      maxDurationSeconds: 60,
      onlyOn: "network_error",
    },
    httpConfig: {
      url: "https://s3cret-url-user:s3cret-url-password@a.example.com/p?q=${PATH}&token=s3cret-url-token#f",
      method: "POST",
      body: `${HOSTILE}\n\n`,
      followRedirects: false,
      maxRedirects: 0,
      timeoutMs: 5_000,
      headers: {
        "X-Auth": "s3cret-header",
        Authorization: "Bearer s3cret-bearer",
        Accept: "{{env.HOME}}",
        true: "",
      },
      auth: { type: "basic", username: "s3cret-basic-user", password: "s3cret-basic-password" },
      assertions: [
        { type: "status_code", operator: "less_than", value: 400 },
        { type: "response_time", max: 1500.5 },
        { type: "body_contains", value: HOSTILE },
        { type: "body_matches", pattern: "^\\d{2,}\\$\\{A\\}$" },
        { type: "body_json_path", path: '$.a["b c"][0]', value: { deep: [null, true, "{{env.HOME}}"] } },
        { type: "body_json_path", path: "b", operator: "exists" },
        { type: "header_value", header: "x-a", operator: "contains", value: "yes" },
        { type: "ssl_expiry", daysBeforeExpiry: 30 },
        { type: "openapi_conformance", specId: spec.id, operationPath: "GET /a/{id}", validateHeaders: true },
      ],
      agentPersonas: { enabled: true, personas: ["vendor1-bot"], every: 3, failOnDivergence: true },
      agentReadiness: { enabled: true, every: 5, require: ["llms_txt"] },
    },
  });
  await stage.controlPlane.ok("PUT", `/api/checks/${full}/labels`, { labels: ["team:web", "123"] });
  const rule = (body: object) => post(`/api/checks/${full}/alerts`, { channelIds: [odd, chat], ...body });
  await rule({
    name: HOSTILE,
    enabled: false,
    confirm: true,
    recovery: { consecutiveSuccesses: 3 },
    conditions: [
      { type: "consecutive_failures", count: 3 },
      { type: "response_time_threshold", maxMs: 250 },
      { type: "multi_location_failure", minLocations: 2, windowSeconds: 60 },
      { type: "ssl_expiry", daysBeforeExpiry: 7, severity: "warning" },
      { type: "ssl_certificate_changed" },
      { type: "ssl_self_signed" },
      { type: "ssl_protocol_deprecated", minProtocol: "TLSv1.3" },
      { type: "baseline_anomaly", metric: "response_time", direction: "both" },
      { type: "failure_ratio", failures: 2, total: 5 },
      { type: "missed_runs", count: 4 },
    ],
  });
  await rule({ conditions: [{ type: "consecutive_failures" }] });
  await check({
    name: "flow",
    type: "browser",
    browserConfig: {
      browserMode: "scripted",
      script: SCRIPT,
      device: "iPhone 15",
      screenshotMode: "failure_only",
      steps: [
        { name: "Open", timeoutMs: 900, assertions: [{ type: "body_contains", value: "{{env.HOME}}" }] },
      ],
      videoEnabled: true,
      viewport: { width: 800, height: 600 },
      agentView: true,
      agentPersona: "vendor1-bot",
    },
  });
  await check({ name: "Flow!", type: "browser", browserConfig: { browserMode: "scripted", script: "1;" } });
  const tools = await check({
    name: "tools",
    type: "mcp",
    mcpConfig: {
      endpoint: "https://mcp.example.com/",
      expectedTools: ["a"],
      detectSchemaDrift: false,
      auth: { type: "api-key", value: "s3cret-mcp-key" },
      rejectUnauthenticated: true,
      testCalls: [
        {
          toolName: "a",
          arguments: { "<<": 1, token: "s3cret-tool-token", q: ["${A}"] },
          expectedOutputContains: "x",
        },
      ],
    },
  });
  await check({
    name: "one page\n# up",
    type: "browser",
    browserConfig: { browserMode: "url", url: "https://a.example.com/" },
  });
  await post(`/api/checks/${tools}/alerts`, {
    conditions: [
      {
        type: "mcp_schema_drift",
        changeTypes: ["escalated", "server"],
        toolNames: ["a"],
        severity: "critical",
      },
      { type: "mcp_schema_drift" },
    ],
    channelIds: [chat],
  });
  const slo = (body: object) => post<{ slo: { id: string } }>("/api/slos", { checkId: full, ...body });
  await slo({
    name: HOSTILE,
    targetBasisPoints: 9999,
    windowDays: 7,
    sliType: "performance",
    perfThresholdMs: 300,
    burnRateAlertsEnabled: false,
    enabled: false,
    channelIds: [web, page, desk],
  });
  const up = await slo({ name: "up", targetBasisPoints: 29, windowDays: 30, channelIds: [desk] });
  await rule({
    name: "by hand",
    conditions: [
      {
        type: "burn_rate",
        sloId: up.slo.id,
        burnRateThreshold: 2.5,
        longWindowMinutes: 60,
        shortWindowMinutes: 5,
      },
    ],
  });
  await post("/api/maintenance-windows", {
    name: "night",
    checkIds: "all",
    startsAt: "2030-01-01T00:00:00Z",
    endsAt: "2030-01-01T02:00:00Z",
  });
}

interface Pulled {
  code: number;
  data: {
    files: string[];
    secrets: { name: string; isSet: boolean }[];
    unmanaged: { name: string }[];
    problems: string[];
    maintenanceWindowsNotWritten: number;
  };
}

/** Values of the variables that a pull names, looked up by what they are about. */
function environment({ data }: Pulled): Record<string, string> {
  const byName: [RegExp, string][] = [
    [/CHAT_WEBHOOKURL/, "https://chat.example.com/s3cret-chat-hook"],
    [/WEB_URL$/, "https://hooks.example.com/s3cret-web-hook"],
    [/WEB_X_TOKEN/, "s3cret-web-header"],
    [/ROUTINGKEY/, "s3cret-routing"],
    [/DESK_USERNAME/, "s3cret-snow-user"],
    [/DESK_PASSWORD/, "s3cret-snow-password"],
    [/URL_USER$/, "s3cret-url-user"],
    [/URL_PASSWORD$/, "s3cret-url-password"],
    [/URL_TOKEN$/, "s3cret-url-token"],
    [/X_AUTH$/, "s3cret-header"],
    [/AUTHORIZATION$/, "s3cret-bearer"],
    [/USERNAME$/, "s3cret-basic-user"],
    [/PASSWORD$/, "s3cret-basic-password"],
    [/TOOLS_VALUE$/, "s3cret-mcp-key"],
    [/TOOLS_TOKEN$/, "s3cret-tool-token"],
  ];
  return Object.fromEntries(
    data.secrets.map(({ name }) => [name, byName.find(([pattern]) => pattern.test(name))?.[1] ?? name]),
  );
}

const unchanged = (answer: { data: { summary: Record<string, number> } }) => {
  const { unchanged: count = 0, ...rest } = answer.data.summary;
  expect(rest).toEqual({ create: 0, update: 0, delete: 0 });
  return count;
};

test.each(["file", "directory"])(
  "what a pull writes as a %s deploys to no change, and holds no secret",
  async (format) => {
    const folder = stage.otherFolder();
    const run = async (args: string[], env: Record<string, string> = {}) => {
      const { code, stdout, stderr } = await stage.run([...args, "--json"], { cwd: folder, env });
      return { code, stderr, ...JSON.parse(stdout) };
    };
    const pulled = await run(["pull", "--format", format]);
    expect(pulled).toMatchObject({
      code: 0,
      ok: true,
      data: { problems: [], maintenanceWindowsNotWritten: 1 },
    });
    expect(pulled.data.unmanaged).toMatchObject([{ name: "one page\n# up" }]);
    expect(pulled.stderr).toMatch(/"one page # up" .* is not written: a browser monitor of a single URL/);
    expect(pulled.data.secrets.every(({ isSet }: { isSet: boolean }) => !isSet)).toBe(true);
    const texts = pulled.data.files.map((path: string) => readFileSync(join(folder, path), "utf8"));
    for (const secret of SECRETS) {
      expect(texts.join("\n")).not.toContain(secret);
      expect(JSON.stringify(pulled)).not.toContain(secret);
    }
    expect(texts.join("\n")).toMatch(/^# Not written: "one page\\n# up" \(chk_\w+\)/m);
    const scripts = pulled.data.files.filter((path: string) => path.endsWith(".ts")).sort();
    const where = format === "file" ? "monitors" : "svc.config/monitors";
    expect(scripts).toEqual([`${where}/flow-2.ts`, `${where}/flow.ts`]);

    const env = environment(pulled);
    expect(Object.values(env).sort()).toEqual(
      SECRETS.map((secret) =>
        secret === "s3cret-chat-hook"
          ? `https://chat.example.com/${secret}`
          : secret === "s3cret-web-hook"
            ? `https://hooks.example.com/${secret}`
            : secret,
      ).sort(),
    );
    const diff = await run(["diff"], env);
    expect(diff).toMatchObject({ code: 0, data: { drift: [] } });
    expect(unchanged(diff)).toBe(5 + 4 + 4 + 2);
    // Nothing differs, and the variables are found again: another pull writes nothing.
    const again = await run(["pull", "--format", format], env);
    expect(again).toMatchObject({ code: 0, data: { problems: [] } });
    expect(again.data.secrets).toEqual(
      pulled.data.secrets.map(({ name }: { name: string }) => ({ name, isSet: true })),
    );
  },
  120_000,
);

test("a pull is a clean baseline: what changes on the service afterwards is drift", async () => {
  const folder = stage.otherFolder();
  const { stdout } = await stage.run(["pull", "--json"], { cwd: folder });
  const env = environment(JSON.parse(stdout));
  const { checks } = await stage.controlPlane.ok<{ checks: Check[] }>("GET", "/api/checks");
  const tools = checks.find(({ name }) => name === "tools") as Check;
  await stage.controlPlane.ok("PUT", `/api/checks/${tools.id}`, { frequencySeconds: 600 });
  expect((await stage.run(["diff"], { cwd: folder, env })).code).toBe(5);
  const refused = await stage.run(["pull"], { cwd: folder, env });
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain("svc.config.yaml would be overwritten; nothing was written");
  expect((await stage.run(["pull", "--force"], { cwd: folder, env })).code).toBe(0);
  expect((await stage.run(["diff"], { cwd: folder, env })).code).toBe(0);
}, 120_000);

test("one monitor is pulled by its name, with its channels; one of a single URL can't be", async () => {
  const folder = stage.otherFolder();
  const { code, stdout } = await stage.run(["pull", "--monitor", "TOOLS", "-o", "sub", "--json"], {
    cwd: folder,
  });
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({
    code: 0,
    data: { monitors: 1, channels: 1, slos: 0, files: ["sub/svc.config.yaml"] },
  });
  expect(existsSync(join(folder, "sub/.svc/.deploy-state.json"))).toBe(true);
  const refused = await stage.run(["pull", "--monitor", "one page\n# up"], { cwd: folder });
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain("is a browser monitor of a single URL; a config can't describe it");
  const absent = await stage.run(["pull", "--monitor", "tolls"], { cwd: folder });
  expect(absent.stderr).toContain('no monitor "tolls"; did you mean "tools"?');
}, 120_000);

test("a secret in a header's name is not written; the pull tells that its config differs", async () => {
  const folder = stage.otherFolder();
  await post("/api/checks", {
    name: "key",
    type: "http",
    locations: ["loc_us_east"],
    frequencySeconds: 3600,
    httpConfig: { url: "https://a.example.com/", headers: { "X-s3cret-in-a-key": "another-one" } },
  });
  const env = { SVC_SECRET_K: "s3cret-in-a-key" };
  const { code, stdout, stderr } = await stage.run(["pull", "--monitor", "key", "--json"], {
    cwd: folder,
    env,
  });
  expect(code).toBe(4);
  const text = readFileSync(join(folder, "svc.config.yaml"), "utf8");
  expect(text).toContain("X-***REDACTED***");
  expect(JSON.parse(stdout).data.problems).not.toEqual([]);
  expect(text + stdout + stderr).not.toContain("s3cret-in-a-key");
}, 120_000);
