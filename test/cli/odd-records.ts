/** A service full of what configs find hard: texts like placeholders, secrets in every position, every field of every type. */
import type { Check } from "@svc/contract";
import type { ControlPlane } from "../harness/control-plane.ts";

const HOSTILE = 'a "b": #c \u001b[31m{{env.HOME}} ${PATH} \\{{secrets.X}}\n- x: &y *z';
/** Every secret in the records. */
export const SECRETS = [
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

/** Stores everything that the API can hold, in a few resources. */
export async function storeOddRecords({ ok }: ControlPlane): Promise<void> {
  const post = <Answer>(path: string, body: unknown) => ok<Answer>("POST", path, body);
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
  await ok("PUT", `/api/notification-channels/${web}`, {
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
  await ok("PUT", `/api/checks/${full}/labels`, { labels: ["team:web", "123"] });
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
  await post("/api/alert-policies", {
    name: "{{secrets.Everything}} is down: #1",
    labels: ["team:odd", "Prod"],
    conditions: [{ type: "failure_ratio", failures: 2, total: 5 }, { type: "ssl_expiry" }],
    channelIds: [odd],
    confirm: true,
    recovery: { consecutiveSuccesses: 2 },
  });
  const { rota } = (await post("/api/rotas", {
    name: "{{secrets.Everything}}: by turns #1",
    timezone: "Asia/Kathmandu",
    startsAt: "2030-01-01T09:00",
    handover: { type: "daily", time: "09:00" },
    members: [{ name: "${Ada}", channelIds: [odd] }],
    overrides: [{ from: "2030-01-01T00:00", to: "2030-01-02T00:00", member: "${Ada}" }],
  })) as { rota: { id: string } };
  await ok("PUT", "/api/incident-policy", {
    steps: [
      { afterMinutes: 1, rotaId: rota.id },
      { afterMinutes: 2, channelIds: [odd], rotaId: rota.id },
    ],
  });
  await post("/api/maintenance-windows", {
    name: "night",
    checkIds: "all",
    startsAt: "2030-01-01T00:00:00Z",
    endsAt: "2030-01-01T02:00:00Z",
  });
}
