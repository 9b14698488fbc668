import { expect, it } from "vitest";
import { fakeService, type RunOptions, runSvc } from "../../../test-support/run-svc.ts";

const check = (name: string, more: Record<string, unknown> = {}) => ({
  id: `chk_${name.toLowerCase().replaceAll(" ", "_")}`,
  teamId: "team_1",
  name,
  type: "http",
  enabled: true,
  configJson: {
    url: "https://user:hunter2@shop.example/?token=abc",
    auth: { type: "bearer", token: "s3cr3t-token" },
  },
  frequencySeconds: 60,
  locations: ["loc_us_east", "loc_eu_west"],
  retry: null,
  createdAt: "2026-05-01T00:00:00.000Z",
  updatedAt: null,
  ...more,
});
const checks = [
  check("Home page"),
  check("Checkout", { enabled: false }),
  check("Twin"),
  check("Twin", { id: "chk_twin_2" }),
];
/** The read of each of these checks by itself. */
const readsOf = (all: readonly { id: string }[]) =>
  Object.fromEntries(all.map((one) => [`GET /api/checks/${one.id}`, { check: one, results: [] }]));
const answers = {
  ...readsOf(checks),
  "GET /api/checks": { checks },
  "GET /api/labels": { labels: { chk_home_page: ["prod"] } },
};

function svc(args: string[], more: Record<string, unknown> = {}, options: RunOptions = {}) {
  const service = fakeService({ ...answers, ...(more as typeof answers) });
  return runSvc(args, { env: { SVC_API_KEY: "sk_test" }, fetch: service.fetch, ...options }).then((ran) => ({
    ...ran,
    changes: service.requests
      .filter(({ route }) => !route.startsWith("GET"))
      .map(({ route, body }) => ({ route, body })),
  }));
}

it("lists monitors with their labels, filtered by type and status", async () => {
  const { code, json } = await svc(["monitors", "list", "--status", "enabled", "--json"]);
  expect(code).toBe(0);
  expect(json().data.monitors[0]).toEqual({
    id: "chk_home_page",
    name: "Home page",
    type: "http",
    status: "enabled",
    frequencySeconds: 60,
    locationCount: 2,
    labels: ["prod"],
  });
  expect(json().data.monitors).toHaveLength(3);
  expect((await svc(["monitors", "list", "--type", "mcp"])).stdout).toBe("");
});

it("lists them without labels when those can't be read", async () => {
  const failing = { "GET /api/labels": () => ({ status: 500, body: { error: "Internal error" } }) };
  const { code, json, stderr } = await svc(["monitors", "list", "--json"], failing);
  expect([code, "labels" in json().data.monitors[0]]).toEqual([0, false]);
  expect(stderr).toContain("labels could not be read");
});

it.each([
  ["an id", "chk_twin_2", "DELETE /api/checks/chk_twin_2"],
  ["a name", "Home page", "DELETE /api/checks/chk_home_page"],
  ["a name in another case", "home PAGE", "DELETE /api/checks/chk_home_page"],
])("%s names a monitor", async (_title, typed, route) => {
  const ran = await svc(["monitors", "delete", typed, "--yes"], { [route]: { success: true } });
  expect([ran.code, ran.changes.map((change) => change.route)]).toEqual([0, [route]]);
});

it("an ambiguous name lists the ids; an unknown one the nearest name", async () => {
  const twin = await svc(["monitors", "pause", "Twin"]);
  expect([twin.code, twin.changes]).toEqual([1, []]);
  expect(twin.stderr).toContain("chk_twin_2");
  expect((await svc(["monitors", "pause", "Home pge"])).stderr).toContain('did you mean "Home page"?');
});

it("shows a monitor's settings, assertions, retry and alert rules", async () => {
  const detailed = check("Home page", {
    configJson: {
      url: "https://shop.example/",
      method: "POST",
      timeoutMs: 5000,
      body: "x".repeat(200),
      assertions: [{ type: "status_code", operator: "equals", value: 200 }],
    },
    retry: {
      strategy: "fixed",
      maxRetries: 2,
      baseBackoffSeconds: 1,
      maxDurationSeconds: 60,
      sameLocation: true,
    },
  });
  const rule = {
    id: "alert_1",
    checkId: detailed.id,
    name: "down",
    enabled: false,
    channelIds: [],
    confirm: false,
    recovery: { consecutiveSuccesses: 1 },
    sloId: null,
    policyId: null,
    createdAt: "2026-05-01T00:00:00.000Z",
    updatedAt: null,
  };
  const alerts = [
    { ...rule, conditions: [{ type: "consecutive_failures", count: 2 }] },
    { ...rule, checkId: "chk_twin", name: "another's", conditions: [] },
  ];
  const got = {
    "GET /api/checks/chk_home_page": { check: detailed, results: [] },
    "GET /api/alerts": { alerts },
  };
  const { code, stdout } = await svc(["monitors", "get", "Home page"], got);
  expect(code).toBe(0);
  expect(stdout).toMatch(/Settings: +method POST, timeoutMs 5000, body [*]+REDACTED[*]+, assertions \(1\)/);
  expect(stdout).toMatch(/Assertions: +status_code equals 200/);
  expect(stdout).toMatch(/Retry: +fixed, at most 2 within 1m/);
  expect(stdout).toMatch(/Alert rules: +down \(consecutive_failures count=2\), disabled/);
  expect(stdout).not.toContain("another's");
  const asJson = (await svc(["monitors", "get", "Home page", "--json"], got)).json().data;
  expect(asJson.alertRules.map(({ name }: { name: string }) => name)).toEqual(["down"]);
});

it("names what a monitor depends on, and shows no target where there is none", async () => {
  const own = check("job", {
    name: "Job",
    type: "heartbeat",
    dependsOn: ["chk_db", "chk_gone"],
    configJson: {},
  });
  const got = {
    "GET /api/checks": { checks: [own, check("db", { name: "Database" })] },
    "GET /api/checks/chk_job": { check: own, results: [] },
  };
  const { stdout } = await svc(["monitors", "get", "Job"], got);
  expect(stdout).toMatch(/Depends on: +Database, chk_gone\n/);
  expect(stdout).not.toContain("Target");
});

it("shows no credential of a monitor's configuration", async () => {
  const got = { "GET /api/checks/chk_home_page": { check: checks[0], results: [] } };
  for (const args of [["--json"], []]) {
    const { code, stdout, stderr } = await svc(["monitors", "get", "Home page", ...args], got);
    expect(code).toBe(0);
    expect(stdout + stderr).not.toMatch(/hunter2|s3cr3t|token=abc/);
    expect(stdout).toContain("shop.example");
  }
});

it("answers no credential of a monitor that it made or changed", async () => {
  const answered = {
    "POST /api/checks": { check: checks[0] },
    "GET /api/checks/chk_home_page": { check: checks[0], results: [] },
    "PUT /api/checks/chk_home_page": { check: checks[0] },
  };
  const create = ["create", "--name", "x", "--type", "http", "--url", "https://x", "--locations", "loc_a"];
  for (const args of [
    create,
    ["edit", "Home page", "--frequency", "5m", "--yes"],
    ["edit", "Home page", "--frequency", "1m"],
  ]) {
    const { code, stdout } = await svc(["monitors", ...args, "--json"], answered);
    expect([code, stdout]).toEqual([0, expect.stringContaining("shop.example")]);
    expect(stdout).not.toMatch(/hunter2|s3cr3t|token=abc/);
  }
});

it("a question that nobody can answer is refused on one line, whatever the monitor's name", async () => {
  const named = { "GET /api/checks": { checks: [check("a", { name: "a\n::error::b" })] } };
  const { stderr } = await svc(["monitors", "delete", "chk_a"], named);
  expect(stderr.split("\n")[0]).toMatch(/^error: Delete monitor a .*Nobody can be asked here$/);
});

it("creates an http monitor in all active hosted locations with a starter assertion", async () => {
  const locations = [
    { id: "loc_a", type: "hosted", status: "active" },
    { id: "loc_b", type: "hosted", status: "deprecated" },
    { id: "loc_c", type: "private", status: "active" },
  ];
  const created = { "GET /api/locations": { locations }, "POST /api/checks": { check: check("New") } };
  const args = [
    "monitors",
    "create",
    "--name",
    "New",
    "--type",
    "http",
    "--url",
    "https://example.org",
    "--frequency",
    "30s",
  ];
  const { code, changes } = await svc(args, created);
  expect(code).toBe(0);
  expect(changes[0]?.body).toEqual({
    name: "New",
    type: "http",
    frequencySeconds: 30,
    locations: ["loc_a"],
    httpConfig: {
      url: "https://example.org",
      method: "GET",
      assertions: [{ type: "status_code", operator: "equals", value: 200 }],
    },
  });
});

it.each([
  [["--type", "http"], "missing: --name, --url"],
  [["--name", "x", "--type", "browser", "--url", "https://x"], "browser monitors can't be created here"],
  [["--name", "x", "--type", "http", "--url", "https://x", "--frequency", "5s"], '--frequency is "5s"'],
])("refuses to create from %j", async (args, message) => {
  const { code, stderr, changes } = await svc(["monitors", "create", ...args]);
  expect([code, changes]).toEqual([1, []]);
  expect(stderr).toContain(message);
});

it("changes only what differs", async () => {
  const route = "PUT /api/checks/chk_home_page";
  const args = [
    "--name",
    "Home page",
    "--add-location",
    "loc_eu_north",
    "--remove-location",
    "loc_us_east",
    "--yes",
  ];
  const { code, changes } = await svc(["monitors", "edit", "Home page", ...args], {
    [route]: { check: checks[0] },
  });
  expect([code, changes]).toEqual([0, [{ route, body: { locations: ["loc_eu_west", "loc_eu_north"] } }]]);
  const same = await svc(["monitors", "edit", "Home page", "--frequency", "1m", "--yes"], {
    "GET /api/checks/chk_home_page": { check: checks[0], results: [] },
  });
  expect([same.code, same.changes]).toEqual([0, []]);
});

it("edit adds and removes monitors that it depends on, by name or id, and sends the whole list", async () => {
  const all = [check("Shop", { dependsOn: ["chk_database"] }), check("Database"), check("Cache")];
  const route = "PUT /api/checks/chk_shop";
  const edit = ["monitors", "edit", "Shop", "--yes"];
  const served = { ...readsOf(all), "GET /api/checks": { checks: all }, [route]: { check: all[0] } };
  const both = await svc([...edit, "--add-dependency", "Cache", "--remove-dependency", "Database"], served);
  expect([both.code, both.changes]).toEqual([0, [{ route, body: { dependsOn: ["chk_cache"] } }]]);
  const none = await svc([...edit, "--remove-dependency", "Cache"], served);
  expect([none.code === 0, none.stderr]).toEqual([
    false,
    expect.stringContaining("Shop does not depend on Cache"),
  ]);
});

it.each([
  ["--add-dependency", "Cache"],
  ["--add-location", "loc_eu_north"],
])(
  "edit with %s %s writes nothing when somebody changed the monitor meanwhile, and says so",
  async (...args) => {
    const all = [check("Shop", { dependsOn: ["chk_database"] }), check("Database"), check("Cache")];
    const sent: (string | null)[] = [];
    const served = {
      "GET /api/checks": { checks: all },
      "GET /api/checks/chk_shop": () => ({
        status: 200,
        body: { check: all[0], results: [] },
        headers: { etag: '"read"' },
      }),
      "PUT /api/checks/chk_shop": (_body: unknown, headers: Headers) => {
        sent.push(headers.get("if-match"));
        return {
          status: 412,
          body: { error: "This was changed since you read it", code: "precondition_failed" },
        };
      },
    };
    const { code, stderr, json } = await svc(
      ["monitors", "edit", "Shop", "--yes", ...args, "--json"],
      served,
    );
    expect([code, sent]).toEqual([1, ['"read"']]);
    expect(json().error).toMatchObject({
      message: 'somebody changed the monitor "Shop" meanwhile, so nothing was written',
      details: { httpStatus: 412 },
    });
    expect(stderr).not.toContain("ETag");
  },
);

it("edit of fields that are no lists takes the place of whatever was there", async () => {
  const sent: (string | null)[] = [];
  const served = {
    "GET /api/checks/chk_home_page": () => ({
      status: 200,
      body: { check: checks[0], results: [] },
      headers: { etag: '"read"' },
    }),
    "PUT /api/checks/chk_home_page": (_body: unknown, headers: Headers) => {
      sent.push(headers.get("if-match"));
      return { status: 200, body: { check: checks[0] } };
    },
  };
  const { code } = await svc(["monitors", "edit", "Home page", "--frequency", "5m", "--yes"], served);
  expect([code, sent]).toEqual([0, [null]]);
});

it.each([
  [["edit", "Home page"], "nothing to change"],
  [["edit", "Home page", "--remove-location", "loc_nowhere"], "does not run in loc_nowhere"],
  [
    ["edit", "Home page", "--remove-location", "loc_us_east", "--remove-location", "loc_eu_west"],
    "at least one location",
  ],
  [["delete", "Home page"], "--yes"],
])("monitors %j without what it needs changes nothing", async (args, message) => {
  const { code, stderr, changes } = await svc(["monitors", ...args]);
  expect([code, changes]).toEqual([1, []]);
  expect(stderr).toContain(message);
});

it("pausing and resuming twice is harmless", async () => {
  const route = "PUT /api/checks/chk_checkout";
  const paused = await svc(["monitors", "pause", "Checkout", "--json"]);
  expect([paused.json().data.changed, paused.changes]).toEqual([false, []]);
  const resumed = await svc(["monitors", "resume", "Checkout"], { [route]: { check: checks[1] } });
  expect(resumed.changes).toEqual([{ route, body: { enabled: true } }]);
});
