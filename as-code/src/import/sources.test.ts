/** Each source: what of its tool's export becomes which field. */
import { describe, expect, it } from "vitest";
import {
  BLACKBOX_JOBS,
  BLACKBOX_MODULES,
  CHECKLY,
  DATADOG,
  EXPORTS,
  GATUS,
  GRAFANA,
  UPTIME_KUMA,
} from "../../test-support/exports.ts";
import { imported } from "../../test-support/imported.ts";
import { importSources } from "./index.ts";

const within200 = [
  { type: "status_code", operator: "greater_than", value: 199 },
  { type: "status_code", operator: "less_than", value: 300 },
];

it("each source has an export here, and every export becomes a config that svc validate finds no fault with", () => {
  expect(Object.keys(EXPORTS).sort()).toEqual([...importSources.types].sort());
  for (const [from, contents] of Object.entries(EXPORTS)) {
    const { monitors, problems } = imported(from, contents);
    expect([from, problems]).toEqual([from, []]);
    expect(Object.keys(monitors).length).toBeGreaterThan(1);
  }
});

it("no secret of an export stands in the config or in a note, and each has a variable", () => {
  const secret = /[\w-]*-(?:secret|token|pass|body|key|user|slack|hook|query|group|discord|url)-1/g;
  for (const [from, contents] of Object.entries(EXPORTS)) {
    const planted = new Set(JSON.stringify(contents).match(secret));
    const { yaml, allNotes, secrets } = imported(from, contents);
    expect([from, planted.size > 1]).toEqual([from, true]);
    const shown = yaml + JSON.stringify(allNotes);
    expect([from, [...planted].filter((one) => shown.includes(one))]).toEqual([from, []]);
    expect(secrets.length).toBeGreaterThan(1);
  }
});

it("monitors of other types than HTTP and browser come along", () => {
  const expected = {
    checkly: ["heartbeat", "tcp"],
    "uptime-kuma": ["tcp"],
    datadog: ["tls", "multistep"],
    grafana: ["ping"],
    gatus: ["tcp", "dns", "ping"],
    blackbox: ["tcp"],
  };
  for (const [from, types] of Object.entries(expected)) {
    const { monitors } = imported(from, EXPORTS[from] ?? []);
    const found = new Set(Object.values(monitors).map(({ type }) => type));
    expect([from, types.filter((type) => !found.has(type))]).toEqual([from, []]);
  }
});

describe("checkly", () => {
  const { monitors, channels, scripts, notes } = imported("checkly", CHECKLY);

  it("an API check has its request, what its group adds, its assertions and Checkly's own rules", () => {
    expect(monitors["Orders API"]).toMatchObject({
      url: "https://api.example.com/orders?q=a%20b",
      method: "POST",
      headers: { "X-Key": "{{secrets.API_KEY}}", "Content-Type": "application/json" },
      auth: { type: "basic", username: "{{secrets.ORDERS_API_USERNAME}}" },
      body: '{"token":"{{secrets.ORDERS_API_TOKEN}}"}',
      followRedirects: false,
      labels: ["api", "group:Shop", "shop"],
      retry: { strategy: "linear", maxRetries: 5 },
      assertions: [
        { type: "status_code", operator: "less_than", value: 400 },
        { type: "status_code", value: 200 },
        { type: "body_json_path", path: "$.count", value: 3 },
        { type: "header_value", header: "content-type", operator: "contains", value: "json" },
        { type: "body_matches", pattern: "^(?![\\s\\S]*(?:error))" },
        { type: "response_time", max: 900 },
        { type: "response_time", max: 5000 },
      ],
    });
    expect(notes).toContain("[0]: no location of svc is certainly that of us-west-1");
    expect(notes).toContain("[0]: retry: maxRetries is 9; largest is 5, which it is now");
    expect(notes).toContain("[0].localSetupScript: no script runs before a request");
  });

  it("its rules notify the channels of the check and of its group: failures, slow responses, certificates", () => {
    expect(monitors["Orders API"]?.alerts).toEqual([
      { conditions: [{ type: "consecutive_failures" }], channels: ["@ops@example.com", "@#ops"] },
      { conditions: [{ type: "response_time_threshold", maxMs: 2000 }], channels: ["@ops@example.com"] },
      { conditions: [{ type: "ssl_expiry", daysBeforeExpiry: 10 }], channels: ["@ops@example.com"] },
    ]);
    expect(channels).toMatchObject({ "#ops": { type: "chat" }, Hook: { type: "webhook" } });
    expect(monitors.Page?.alerts).toMatchObject([{ conditions: [{ count: 1 }], channels: ["@Hook"] }]);
  });

  it("a browser check brings its script as it is, and a check that should fail asks for a failure", () => {
    expect(monitors.Checkout).toMatchObject({
      frequency: "30s",
      enabled: false,
      locations: ["loc_eu_west_2"],
    });
    expect(scripts.Checkout).toContain("https://example.org/${path}");
    expect(scripts["API flow"]).toContain("async ({ request })");
    expect(monitors.Page).toMatchObject({
      url: "https://{{secrets.HOST}}/page",
      assertions: [{ type: "status_code", operator: "greater_than", value: 399 }],
    });
  });

  it("failing for some minutes is so many failures in a row", () => {
    const [[check], , channelList] = CHECKLY as [Record<string, unknown>[], unknown, unknown];
    const alertSettings = {
      escalationType: "TIME_BASED",
      timeBasedEscalation: { minutesFailingThreshold: 10 },
    };
    const timed = imported("checkly", [[{ ...check, groupId: null, alertSettings }], channelList as object]);
    expect(timed.monitors["Orders API"]?.alerts).toMatchObject([{ conditions: [{ count: 3 }] }, {}, {}]);
  });
});

describe("uptime-kuma", () => {
  const { monitors, channels, notes } = imported("uptime-kuma", UPTIME_KUMA);

  it("a keyword monitor has its request, its retries as failures in a row, and its certificate watched", () => {
    expect(monitors.Home).toMatchObject({
      url: "https://shop.example.com/?api_key={{secrets.HOME_URL_API_KEY}}",
      frequency: "20s",
      timeoutMs: 16_000,
      followRedirects: false,
      labels: ["critical", "env:prod-eu", "group:Shop"],
      headers: { Authorization: "Bearer {{secrets.HOME_AUTHORIZATION}}" },
      auth: { type: "basic" },
      assertions: [
        { type: "status_code", operator: "greater_than", value: 199 },
        { type: "status_code", operator: "less_than", value: 402 },
        { type: "body_contains", value: "Welcome" },
      ],
      alerts: [
        { conditions: [{ type: "consecutive_failures", count: 3 }], channels: ["@Chat", "@Mail"] },
        { conditions: [{ type: "ssl_expiry", daysBeforeExpiry: 21 }] },
      ],
    });
    expect(notes.find((note) => note.startsWith("monitorList[1].accepted_statuscodes"))).toContain(
      "200 to 401",
    );
  });

  it("queries of JSON are carried over where their path is plain, and inverted keywords", () => {
    expect(monitors["Home (2)"]?.assertions).toContainEqual({
      type: "body_json_path",
      path: "$.status",
      value: "ok",
    });
    expect(monitors.Complex?.assertions).toEqual(within200);
    expect(monitors.Inverse?.assertions).toContainEqual({
      type: "body_matches",
      pattern: "^(?![\\s\\S]*(?:a\\.b))",
    });
    expect(notes).toContain("monitorList[3].jsonPath: only plain paths are followed in JSON, no JSONata");
  });

  it("what would mean something else is left out as a whole", () => {
    expect(Object.keys(monitors)).not.toContain("Down is well");
    expect(notes.find((note) => note.startsWith("monitorList[6]"))).toContain('got "OPTIONS"');
  });

  it("notifications become channels", () => {
    expect(channels).toMatchObject({
      Chat: { type: "chat" },
      Mail: { type: "email", addresses: ["ops@example.com", "dev@example.com"] },
      Hook: { type: "webhook", headers: { "X-Key": "{{secrets.HOOK_X_KEY}}" } },
    });
    expect(notes).toContain('notificationList[2]: channel "Phone": svc has no channel like pushover');
  });

  it("a bearer token is a secret, and a webhook that is sent by GET is noted", () => {
    const [, home] = UPTIME_KUMA.monitorList;
    const bearer = { ...home, authMethod: "bearer", bearer_token: "t", basic_auth_user: null };
    const config = { type: "webhook", webhookURL: "https://hooks.example.com/in", httpMethod: "get" };
    const result = imported("uptime-kuma", {
      monitorList: [bearer],
      notificationList: [{ id: 1, name: "Hook", config }],
    });
    expect(result.monitors.Home?.auth).toEqual({ type: "bearer", token: "{{secrets.HOME_TOKEN}}" });
    expect(result.notes).toContain("notificationList[0]: a webhook is sent by POST or PUT, not by GET");
  });

  it("the list of version 2, by id, gives the same monitors", () => {
    const byId = Object.fromEntries(UPTIME_KUMA.monitorList.map((one) => [one.id, one]));
    expect(Object.keys(imported("uptime-kuma", byId).monitors)).toEqual(Object.keys(monitors));
  });
});

describe("uptime-kuma, by the tables of its database", () => {
  const snake = (fields: object) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        typeof value === "boolean" ? Number(value) : value,
      ]),
    );
  type Listed = { id: number; notificationIDList?: object; accepted_statuscodes?: string[]; tags?: object[] };
  const listed = UPTIME_KUMA.monitorList as Listed[];
  const rows = {
    monitor: listed.map(({ notificationIDList: _, tags: __, accepted_statuscodes = [], ...monitor }) => ({
      ...snake(monitor),
      accepted_statuscodes_json: JSON.stringify(accepted_statuscodes),
      push_token: null,
    })),
    notification: UPTIME_KUMA.notificationList.map(({ config, ...one }) => ({
      is_default: 0,
      ...snake(one),
      config: typeof config === "string" ? config : JSON.stringify(config),
    })),
    monitor_notification: listed.flatMap(({ id, notificationIDList = {} }) =>
      Object.keys(notificationIDList).map((one, at) => ({
        id: at,
        monitor_id: id,
        notification_id: Number(one),
      })),
    ),
    tag: [
      { id: 1, name: "env", color: "#fff", created_date: "2026-01-01 00:00:00" },
      { id: 2, name: "critical", color: "#000", created_date: "2026-01-01 00:00:00" },
    ],
    monitor_tag: [
      { id: 1, monitor_id: 10, tag_id: 1, value: "prod eu" },
      { id: 2, monitor_id: 10, tag_id: 2, value: "" },
    ],
  };

  it("becomes the config that its lists become, in any order of the files", () => {
    const { monitors, channels } = imported("uptime-kuma", UPTIME_KUMA);
    for (const files of [Object.values(rows), Object.values(rows).reverse()]) {
      const found = imported("uptime-kuma", files);
      expect([found.monitors, found.channels]).toEqual([monitors, channels]);
      expect(found.problems).toEqual([]);
    }
  });

  it("notes name the file of the table, and rows that are anything else break nothing", () => {
    expect(imported("uptime-kuma", [rows.monitor]).allNotes).toContainEqual(
      expect.objectContaining({ file: "0.json", path: "[4]", monitor: "Down is well", effect: "left_out" }),
    );
    const odd = [{ accepted_statuscodes_json: "{", interval: null, name: 3 }, null, 7, ["x"]];
    expect(imported("uptime-kuma", [odd, rows.monitor]).problems).toEqual([]);
  });
});

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

describe("grafana", () => {
  const { monitors, notes } = imported("grafana", GRAFANA);

  it("an HTTP check has its request, its assertions, and the locations of its probes", () => {
    expect(monitors.shop).toMatchObject({
      url: "https://shop.example.com/",
      method: "POST",
      body: "x=1",
      auth: { type: "bearer", token: "{{secrets.SHOP_TOKEN}}" },
      followRedirects: false,
      timeoutMs: 3000,
      labels: ["team:shop-front"],
      assertions: [
        { type: "status_code", operator: "greater_than", value: 199 },
        { type: "status_code", operator: "less_than", value: 405 },
        { type: "body_matches", pattern: "ok" },
      ],
    });
    expect(notes).toContain("checks[0]: no location of svc is certainly that of Atlanta");
    expect(notes.find((note) => note.startsWith("checks[2]"))).toContain("k6");
  });

  it("the lists may be two files, or the checks alone", () => {
    const { checks, probes } = GRAFANA;
    expect(imported("grafana", [checks, probes]).monitors).toEqual(monitors);
    expect(imported("grafana", [checks]).notes).toContain(
      "[0]: no location of svc is certainly that of the probe 1, the probe 2 and the probe 3",
    );
  });
});

describe("gatus", () => {
  const { monitors, channels, notes } = imported("gatus", GATUS);

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
    ]);
    expect(monitors.graph?.alerts).toMatchObject([{ conditions: [{ count: 3 }], channels: ["@custom"] }]);
    expect(channels.slack).toEqual({ type: "chat", webhookUrl: "{{secrets.SLACK_WEBHOOK}}" });
  });

  it("merged maps, variables in hosts and GraphQL are understood", () => {
    expect(monitors["api/home"]).toMatchObject({
      enabled: false,
      url: "https://{{secrets.API_HOST}}/login?key={{secrets.API_HOME_URL_KEY}}",
      body: '{"username":"{{secrets.HOME_USERNAME}}","password":"{{secrets.HOME_PASSWORD}}","n":1}',
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

describe("blackbox", () => {
  const { monitors, notes } = imported("blackbox", [BLACKBOX_MODULES, BLACKBOX_JOBS]);

  it("each target of a probing job is a monitor, with its module's request and its job's frequency", () => {
    expect(Object.keys(monitors)).toEqual([
      "db.example.org:5432",
      "example.com/health",
      "https://example.org",
      "https://files.example.org",
      "login: https://example.org",
    ]);
    expect(monitors["example.com/health"]).toMatchObject({
      url: "http://example.com/health",
      timeoutMs: 5000,
      labels: ["job:web", "team:shop"],
      assertions: within200,
    });
    expect(monitors["login: https://example.org"]).toMatchObject({
      frequency: "10s",
      timeoutMs: 10_000,
      method: "POST",
      followRedirects: false,
      auth: { type: "basic" },
      assertions: [
        { type: "status_code", operator: "greater_than", value: 199 },
        { type: "status_code", operator: "less_than", value: 203 },
        { type: "body_matches", pattern: "^(?![\\s\\S]*(?:Exception))" },
        { type: "body_matches", pattern: "welcome" },
        { type: "header_value", header: "Server", operator: "contains", value: "nginx" },
      ],
    });
    expect(monitors["https://files.example.org"]?.auth).toEqual({
      type: "bearer",
      token: "{{secrets.ETC_SECRETS_TOKEN}}",
    });
  });

  it("modules without targets, targets without modules and discovered targets are named", () => {
    expect(notes).toContain("modules.unused: no job here probes a target by the module unused");
    expect(notes).toContain(
      "scrape_configs[4].static_configs[0].targets[0]: the module missing is not in these files",
    );
    expect(notes.some((note) => note.startsWith("scrape_configs[2].file_sd_configs:"))).toBe(true);
    expect(imported("blackbox", BLACKBOX_MODULES).monitors).toEqual({});
  });
});
