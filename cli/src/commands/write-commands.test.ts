/** Commands that create, change and delete alert rules, channels, SLOs and maintenance windows. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { testFolder } from "../../test-support/run-svc.ts";
import { aCheck } from "../../test-support/samples.ts";
import { svcWith } from "../../test-support/svc-with.ts";

let folder: ReturnType<typeof testFolder>;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

const dated = { createdAt: "2026-05-01T00:00:00.000Z", updatedAt: null };
const rule = {
  ...dated,
  id: "alert_1",
  checkId: "chk_home",
  name: "Down",
  enabled: true,
  conditions: [{ type: "consecutive_failures", count: 2 }],
  channelIds: ["nch_1"],
  confirm: false,
  recovery: { consecutiveSuccesses: 1 },
  sloId: null,
  policyId: null,
};
const channel = {
  ...dated,
  id: "nch_1",
  name: "On call",
  type: "email",
  config: { type: "email", addresses: ["a@example.com"] },
};
const slo = {
  ...dated,
  id: "slo_1",
  teamId: "team_1",
  name: "Up",
  sloType: "check",
  checkId: "chk_home",
  checkName: "Home",
  patternId: null,
  sliType: "availability",
  perfThresholdMs: null,
  scope: "check",
  enabled: true,
  targetBasisPoints: 9990,
  windowDays: 30,
  channelIds: [],
  burnRateAlertsEnabled: true,
};
const window = {
  ...dated,
  id: "mw_1",
  teamId: "team_1",
  name: "Patching",
  mode: "pause",
  checkIds: "all",
  startsAt: "2026-06-01T11:00:00.000Z",
  endsAt: "2026-06-01T13:00:00.000Z",
  recurring: false,
  recurrenceRule: null,
  timezone: "UTC",
  active: true,
  nextStartsAt: null,
};
const answers = {
  "GET /api/checks": { checks: [aCheck("Home")] },
  "GET /api/alerts": { alerts: [rule] },
  "GET /api/third-party-patterns": {
    patterns: [{ id: "tpp_1", name: "CDN", hostPattern: "cdn.example.com", createdAt: dated.createdAt }],
  },
  "GET /api/notification-channels": { channels: [channel, { ...channel, id: "nch_2", name: "Ops" }] },
  "GET /api/slos": { slos: [slo], limit: 200, offset: 0 },
  "GET /api/maintenance-windows": { maintenanceWindows: [window] },
  "POST /api/checks/chk_home/alerts": { id: "alert_1" },
  "PUT /api/alerts/alert_1": { success: true },
  "DELETE /api/alerts/alert_1": { success: true },
  "POST /api/notification-channels": { channel: { id: "nch_1" } },
  "PUT /api/notification-channels/nch_1": { success: true },
  "DELETE /api/notification-channels/nch_1": { success: true },
  "POST /api/slos": { slo },
  "PUT /api/slos/slo_1": { slo },
  "DELETE /api/slos/slo_1": { success: true },
  "PUT /api/maintenance-windows/mw_1": { maintenanceWindow: window },
};
const svc = (args: string[], env: Record<string, string> = {}) =>
  svcWith(answers, [...args, "--json"], { cwd: folder.path, env: { SVC_API_KEY: "sk_test", ...env } });

it.each<[string, string[], unknown]>([
  [
    "a rule by flags",
    [
      "alerts",
      "rules",
      "create",
      "--monitor",
      "home",
      "--name",
      "Slow",
      "--channel",
      "@Ops",
      "--channel",
      "On call",
      "--condition",
      "consecutive_failures count=3",
      "--condition",
      "response_time_threshold maxMs=500",
      "--confirm",
    ],
    {
      route: "POST /api/checks/chk_home/alerts",
      body: {
        name: "Slow",
        conditions: [
          { type: "consecutive_failures", count: 3 },
          { type: "response_time_threshold", maxMs: 500 },
        ],
        confirm: true,
        channelIds: ["nch_2", "nch_1"],
      },
    },
  ],
  [
    "a rule's conditions",
    ["alerts", "rules", "edit", "Down", "--condition", "consecutive_failures count=5", "--yes"],
    { route: "PUT /api/alerts/alert_1", body: { conditions: [{ type: "consecutive_failures", count: 5 }] } },
  ],
  [
    "a rule, disabled",
    ["alerts", "rules", "disable", "down"],
    { route: "PUT /api/alerts/alert_1", body: { enabled: false } },
  ],
  ["a rule, deleted", ["alerts", "rules", "delete", "Down", "--yes"], "DELETE /api/alerts/alert_1"],
  [
    "a channel by flags",
    ["channels", "create", "Mail", "--type", "email", "--set", "addresses=[b@example.com]"],
    {
      route: "POST /api/notification-channels",
      body: { name: "Mail", channel: { type: "email", addresses: ["b@example.com"] } },
    },
  ],
  [
    "a channel's field",
    ["channels", "edit", "On call", "--set", "addresses=[b@example.com]", "--yes"],
    {
      route: "PUT /api/notification-channels/nch_1",
      body: { channel: { type: "email", addresses: ["b@example.com"] } },
    },
  ],
  [
    "a channel, deleted",
    ["channels", "delete", "On call", "--yes"],
    "DELETE /api/notification-channels/nch_1",
  ],
  [
    "an SLO by flags",
    [
      "slos",
      "create",
      "--name",
      "Up",
      "--monitor",
      "Home",
      "--target",
      "99.9",
      "--window",
      "30d",
      "--channel",
      "Ops",
      "--no-burn-rate-alerts",
    ],
    {
      route: "POST /api/slos",
      body: {
        sloType: "check",
        name: "Up",
        checkId: "chk_home",
        targetBasisPoints: 9990,
        windowDays: 30,
        burnRateAlertsEnabled: false,
        channelIds: ["nch_2"],
      },
    },
  ],
  [
    "an SLO's target",
    ["slos", "edit", "Up", "--target", "99.5%", "--yes"],
    { route: "PUT /api/slos/slo_1", body: { targetBasisPoints: 9950 } },
  ],
  ["an SLO, deleted", ["slos", "delete", "Up", "--yes"], "DELETE /api/slos/slo_1"],
  [
    "a window's end and monitors",
    ["maintenance", "edit", "Patching", "--ends", "2026-06-01T14:00:00Z", "--monitor", "Home", "--yes"],
    {
      route: "PUT /api/maintenance-windows/mw_1",
      body: { endsAt: "2026-06-01T14:00:00Z", checkIds: ["chk_home"] },
    },
  ],
])("%s", async (_title, args, change) => {
  const ran = await svc(args);
  expect([ran.code, ran.stderr, ran.changes]).toEqual([0, "", [change]]);
  expect(ran.json().ok).toBe(true);
});

it("--file takes the form of the config, with placeholders; flags win", async () => {
  writeFileSync(
    join(folder.path, "rule.yaml"),
    'conditions: [{ type: missed_runs }]\nchannels: ["@Ops"]\nname: File\n',
  );
  const ruleRan = await svc([
    "alerts",
    "rules",
    "create",
    "--monitor",
    "Home",
    "--file",
    "rule.yaml",
    "--name",
    "Flag",
  ]);
  expect(ruleRan.changes).toMatchObject([
    { body: { name: "Flag", conditions: [{ type: "missed_runs" }], channelIds: ["nch_2"] } },
  ]);
  writeFileSync(join(folder.path, "channel.yaml"), 'type: chat\nwebhookUrl: "{{secrets.CHAT}}"\n');
  const ran = await svc(["channels", "create", "C", "--file", "channel.yaml"], {
    SVC_SECRET_CHAT: "https://chat.example.com/s3cret",
  });
  expect(ran.changes).toMatchObject([
    { body: { channel: { type: "chat", webhookUrl: "https://chat.example.com/s3cret" } } },
  ]);
  expect(ran.stdout).not.toContain("s3cret");
  writeFileSync(
    join(folder.path, "hook.yaml"),
    "type: webhook\nurl: https://hooks.example.com/x\nincidentSubscribed: false\n",
  );
  expect((await svc(["channels", "create", "Hook", "--file", "hook.yaml"])).changes).toMatchObject([
    {
      route: "POST /api/notification-channels",
      body: { channel: { type: "webhook", url: "https://hooks.example.com/x" } },
    },
    {
      route: "PUT /api/notification-channels/nch_1",
      body: { incidentSubscribed: false, incidentTemplate: null },
    },
  ]);
  writeFileSync(join(folder.path, "slo.yaml"), "name: S\nmonitor: Home\ntarget: 99%\nwindow: 7d\n");
  expect((await svc(["slos", "create", "--file", "slo.yaml"])).changes).toMatchObject([
    { body: { checkId: "chk_home", targetBasisPoints: 9900, windowDays: 7 } },
  ]);
});

it("an SLO of a third-party pattern is created by a file in the config's form", async () => {
  const text = 'name: CDN is up\npattern: CDN\ntarget: "99.5%"\nwindow: 30d\n';
  writeFileSync(join(folder.path, "slo.yaml"), text);
  expect((await svc(["slos", "create", "--file", "slo.yaml"])).changes).toMatchObject([
    { body: { name: "CDN is up", sloType: "third_party", patternId: "tpp_1" } },
  ]);
});

it("an SLO of a third-party pattern names the pattern by its name or id", async () => {
  const typed = ["slos", "create", "--name", "CDN up", "--target", "99.5%", "--window", "30d"];
  for (const pattern of ["CDN", "tpp_1"])
    expect((await svc([...typed, "--pattern", pattern])).changes).toMatchObject([
      { body: { sloType: "third_party", patternId: "tpp_1", targetBasisPoints: 9950, windowDays: 30 } },
    ]);
});

it.each<[string, string[], string]>([
  ["an SLO of nothing", ["slos", "create", "--name", "X"], "missing: --monitor or --pattern"],
  [
    "an SLO of a monitor and a pattern",
    ["slos", "create", "--monitor", "Home", "--pattern", "CDN"],
    "of a monitor or of a pattern, not of both",
  ],
  ["an unknown pattern", ["slos", "create", "--pattern", "CDM"], 'did you mean "CDN"'],
  [
    "a rule without a condition",
    ["alerts", "rules", "create", "--monitor", "Home", "--channel", "Ops"],
    "missing: --condition",
  ],
  ["an unknown condition", ["alerts", "rules", "create", "--condition", "nothing"], "it begins with one of"],
  [
    "an unknown channel",
    ["alerts", "rules", "edit", "Down", "--channel", "Opps", "--yes"],
    'did you mean "Ops"',
  ],
  [
    "an unknown field",
    ["slos", "create", "--file", "odd.yaml"],
    'unknown field "tarket"; did you mean "target"',
  ],
  ["a wrong target", ["slos", "edit", "Up", "--target", "100%", "--yes"], "expected a percentage"],
  [
    "a field that the type does not have",
    ["channels", "create", "X", "--type", "email", "--set", "url=x"],
    "the channel can't be used",
  ],
  [
    "another type",
    ["channels", "edit", "Ops", "--set", "type=chat", "--yes"],
    "a channel's type can't change",
  ],
  ["no change", ["slos", "edit", "Up", "--yes"], "nothing to change was given"],
  ["no consent", ["slos", "delete", "Up"], "Nobody can be asked here"],
])("%s is refused, and nothing is sent", async (_title, args, message) => {
  writeFileSync(join(folder.path, "odd.yaml"), "tarket: 99%\n");
  const ran = await svc(args);
  expect([ran.code, ran.json().error.message, ran.changes]).toEqual([
    1,
    expect.stringContaining(message),
    [],
  ]);
});

it("what is so already is not sent", async () => {
  for (const args of [
    ["slos", "edit", "Up", "--target", "99.9%"],
    ["alerts", "rules", "enable", "Down"],
  ]) {
    const ran = await svc(args);
    expect([ran.code, ran.changes]).toEqual([0, []]);
  }
});
