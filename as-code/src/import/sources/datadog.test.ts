/** Datadog's tests: which part becomes which field. */
import { describe, expect, it } from "vitest";
import { DATADOG } from "../../../test-support/exports/datadog.ts";
import { imported } from "../../../test-support/imported.ts";

const within200 = [
  { type: "status_code", operator: "greater_than", value: 199 },
  { type: "status_code", operator: "less_than", value: 300 },
];

describe("datadog", () => {
  const { monitors, notes } = imported("datadog", DATADOG);

  it("an HTTP test has its request, variables, assertions, retries and locations", () => {
    expect(monitors.Orders).toMatchObject({
      url: "https://api.example.com/orders?page=1&token={{secrets.ORDERS_URL_TOKEN}}&lang=de",
      headers: { "X-Key": "{{secrets.API_KEY}}" },
      body: '{"password":"{{secrets.PASSWORD}}","pin":"{{secrets.ORDERS_PIN}}"}',
      auth: { type: "basic", password: "{{secrets.PASSWORD}}" },
      timeoutMs: 120_000,
      labels: ["env:prod", "team:shop-front"],
      retry: { strategy: "fixed", maxRetries: 2, baseBackoffSeconds: 0.5 },
      assertions: [
        { type: "status_code", value: 200 },
        ...within200,
        { type: "response_time", max: 1000 },
        { type: "header_value", header: "content-type", operator: "contains", value: "json" },
        { type: "body_matches", pattern: "^(?![\\s\\S]*(?:error \\(fatal\\)))" },
        { type: "body_json_path", path: "$.items[0].id", value: 7 },
      ],
      alerts: [{ conditions: [{ type: "consecutive_failures", count: 4 }], channels: ["@ops@example.com"] }],
    });
    expect(monitors.Orders).not.toHaveProperty("followRedirects");
    for (const at of [4, 7, 8, 9])
      expect(notes.some((note) => note.startsWith(`tests[0].config.assertions[${at}]: no assertion`))).toBe(
        true,
      );
    expect(notes.filter((note) => note.includes("is an integration"))).toHaveLength(2);
  });

  it("redirects are not followed unless the test says so, and the longest frequency is a day", () => {
    expect(monitors["Orders (b)"]).toMatchObject({
      followRedirects: false,
      frequency: "24h",
      enabled: false,
    });
  });

  it("browser tests are left out, with the reason", () => {
    expect(notes.find((note) => note.startsWith("tests[3]:"))).toContain("Playwright");
  });

  it("a multistep test has its requests, the values that they pass on, and one time for all", () => {
    expect(monitors.Buy).toMatchObject({
      timeoutMs: 80_000,
      steps: [
        {
          name: "Log in",
          body: '{"user":"{{secrets.SHOP_USER}}","password":"{{secrets.BUY_PASSWORD}}"}',
          assertions: [{ type: "status_code", value: 200 }],
          extract: [
            { name: "TOKEN", from: "json_path", path: "$.token", secret: true },
            { name: "SESSION", from: "header", header: "set-cookie", pattern: "session=([^;]+)", group: 1 },
            { name: "WHOLE", from: "regex" },
          ],
        },
        {
          name: "Log in (3)",
          url: "https://shop.example.com/orders/{{values.SESSION}}",
          headers: { Authorization: "Bearer {{values.TOKEN}}", "X-Key": "{{secrets.API_KEY}}" },
        },
      ],
    });
    expect(notes.filter((note) => note.startsWith("tests[5].config.steps"))).toEqual([
      "tests[5].config.steps[0].retry: a run is retried as a whole, no single step is",
      "tests[5].config.steps[1]: steps follow each other at once",
      "tests[5].config.steps[2].allowFailure: a step that fails ends the run here, and is its failure",
    ]);
    expect(notes.find((note) => note.startsWith("tests[4]:"))).toContain("its step 1 is of type grpc");
  });

  it.each([
    ["by XPath", { type: "http_body", parser: { type: "x_path", value: "//a" } }, "found by x_path"],
    ["by a path with a filter", { type: "http_body", parser: { type: "json_path", value: "$..a" } }, "path"],
    [
      "by an expression that is none",
      { type: "http_body", parser: { type: "regex", value: "(" } },
      "JavaScript",
    ],
    ["from elsewhere", { type: "grpc_message", parser: { type: "raw" } }, "grpc_message"],
  ])("a multistep test with a value that is found %s is left out as a whole", (_, value, reason) => {
    const request = { method: "GET", url: "https://a.example.com/" };
    const steps = [{ subtype: "http", request, extractedValues: [{ name: "A", ...value }] }];
    const found = imported("datadog", {
      tests: [
        DATADOG.tests[0],
        { public_id: "z", name: "Z", type: "api", subtype: "multi", config: { steps }, options: {} },
      ],
    });
    expect(found.notes.find((note) => note.startsWith("tests[1]:"))).toContain(reason);
  });

  it("failures at several locations are a condition of their own", () => {
    const [test] = DATADOG.tests;
    const options = { tick_every: 60, min_failure_duration: 300, min_location_failed: 2 };
    const several = imported("datadog", { tests: [{ ...test, options }] });
    expect(several.monitors.Orders?.alerts).toMatchObject([
      { conditions: [{ type: "multi_location_failure" }], channels: ["@ops@example.com"] },
    ]);
  });
});
