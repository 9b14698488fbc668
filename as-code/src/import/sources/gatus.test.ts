/** Gatus's endpoints: which part becomes which field. */
import { describe, expect, it } from "vitest";
import { GATUS } from "../../../test-support/exports/gatus.ts";
import { imported } from "../../../test-support/imported.ts";

describe("gatus", () => {
  const { monitors, channels, notes } = imported("gatus", GATUS);

  it("a server of mail whose TLS begins within its protocol is a check of its certificate", () => {
    expect(monitors.mail).toMatchObject({
      type: "tls",
      host: "smtp.example.com",
      port: 587,
      startTls: "smtp",
      minDaysBeforeExpiry: 2,
    });
  });

  it("an endpoint has its request, and its conditions as assertions", () => {
    expect(monitors.home).toMatchObject({
      url: "https://example.org/",
      timeoutMs: 5000,
      followRedirects: false,
      labels: ["group:web"],
      headers: { Authorization: "Bearer {{secrets.API_TOKEN}}", Accept: "text/html" },
      assertions: [
        { type: "status_code", value: 200 },
        { type: "response_time", max: 500 },
        { type: "body_json_path", path: "user.name", value: "john" },
        { type: "body_json_path", path: "count", value: 3 },
        { type: "body_json_path", path: "data[0].id", operator: "not_equals", value: 7 },
        { type: "body_json_path", path: "name", operator: "contains", value: "oh" },
        { type: "ssl_expiry", daysBeforeExpiry: 2 },
        { type: "body_contains", value: "hello" },
        { type: "body_matches", pattern: "^(?![\\s\\S]*(?:exception))" },
      ],
    });
    for (const at of [5, 9])
      expect(notes).toContain(`endpoints[0].conditions[${at}]: no assertion says what this condition says`);
  });

  it("alerts have Gatus's thresholds, by endpoint over by provider over its own", () => {
    expect(monitors.home?.alerts).toMatchObject([
      {
        name: "site is down",
        conditions: [{ count: 5 }],
        channels: ["@slack"],
        recovery: { consecutiveSuccesses: 2 },
      },
      { name: "mail about it", channels: ["@email"], recovery: { consecutiveSuccesses: 4 } },
      { channels: ["@telegram"], conditions: [{ count: 3 }] },
    ]);
    expect(monitors.graph?.alerts).toMatchObject([{ conditions: [{ count: 3 }], channels: ["@custom"] }]);
    expect(channels.slack).toEqual({ type: "chat", webhookUrl: "{{secrets.SLACK_WEBHOOK}}" });
    expect(channels.telegram).toMatchObject({
      type: "telegram",
      botToken: "{{secrets.TELEGRAM_BOTTOKEN}}",
      chatId: "-1001",
      topicId: 7,
    });
    expect(channels.ntfy).toMatchObject({ type: "ntfy", token: "{{secrets.NTFY_TOKEN}}" });
    expect(channels.opsgenie).toEqual({
      type: "jsm",
      apiKey: "{{secrets.OPSGENIE_KEY}}",
      apiUrl: "https://api.opsgenie.com",
    });
    expect(notes).toContain("alerting.gotify: svc has no channel like gotify");
  });

  it("merged maps, variables in hosts and GraphQL are understood", () => {
    expect(monitors["api/home"]).toMatchObject({
      enabled: false,
      url: "https://{{secrets.API_HOST}}/login?key={{secrets.API_HOME_URL_KEY}}",
      body: '{"username":"{{secrets.HOME_USERNAME}}","password":"{{secrets.HOME_PASSWORD}}","n":1}',
    });
    expect(monitors.home).toMatchObject({
      proxyUrl: "http://proxy.example.com:3128",
      proxyPassword: "{{secrets.API_HOME_PROXYPASSWORD}}",
    });
    expect(monitors.graph).toMatchObject({ body: '{"query":"{ users { name } }"}' });
  });

  it.each<[string, object[] | undefined]>([
    ["[STATUS] != 500", [{ type: "status_code", operator: "not_equals", value: 500 }]],
    ["[STATUS] >= 200", [{ type: "status_code", operator: "greater_than", value: 199 }]],
    ["[STATUS] > 200", [{ type: "status_code", operator: "greater_than", value: 200 }]],
    [
      "[STATUS] == any(204, 200)",
      [
        { type: "status_code", operator: "greater_than", value: 199 },
        { type: "status_code", operator: "less_than", value: 205 },
      ],
    ],
    ["[STATUS] == pat(2*)", undefined],
    ["[RESPONSE_TIME] > 500", undefined],
    ["[BODY] == OK", [{ type: "body_matches", pattern: "^OK$" }]],
    ["[BODY] == pat(a*b)", [{ type: "body_matches", pattern: "^a[\\s\\S]*b$" }]],
    ["[BODY] == any(a, b)", undefined],
    ["[BODY].a == true", [{ type: "body_json_path", path: "a", value: true }]],
    ["[BODY].a == 007", [{ type: "body_json_path", path: "a", value: "007" }]],
    ["has([BODY].a[0].b) == true", [{ type: "body_json_path", path: "a[0].b", operator: "exists" }]],
    ["[CERTIFICATE_EXPIRATION] > 36h", [{ type: "ssl_expiry", daysBeforeExpiry: 1.5 }]],
    ["[DOMAIN_EXPIRATION] > 720h", undefined],
    ["[IP] == 127.0.0.1", undefined],
    ["nonsense", undefined],
  ])("%s", (condition, assertions) => {
    const endpoint = { name: "one", url: "https://example.org", conditions: [condition] };
    const result = imported("gatus", { endpoints: [endpoint] });
    expect(result.monitors.one?.assertions).toEqual(assertions);
    expect(result.notes.some((note) => note.startsWith("endpoints[0].conditions[0]: no assertion"))).toBe(
      !assertions,
    );
  });
});
