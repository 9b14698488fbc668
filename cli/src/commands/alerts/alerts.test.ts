import { expect, it } from "vitest";
import { aCheck } from "../../../test-support/samples.ts";
import { svcWith } from "../../../test-support/svc-with.ts";

const instance = (id: string, checkName: string, more: Record<string, unknown> = {}) => ({
  id,
  ruleId: "alert_1",
  checkId: "chk_home",
  state: "active",
  severity: "critical",
  startedAt: "2026-06-01T10:30:00.000Z",
  acknowledgedAt: null,
  recoveredAt: null,
  resolvedAt: null,
  durationMs: null,
  notificationCount: 1,
  contextJson: { observed: 3 },
  muted: false,
  ruleName: "Down",
  checkName,
  ...more,
});
const rule = {
  id: "alert_1",
  checkId: "chk_home",
  name: "Down",
  enabled: true,
  channelIds: ["nch_1", "nch_2"],
  conditions: [{ type: "consecutive_failures", count: 2 }],
  confirm: false,
  recovery: { consecutiveSuccesses: 1 },
  sloId: null,
  policyId: null,
  createdAt: "2026-05-01T00:00:00.000Z",
  updatedAt: null,
};
const instances = [instance("ainst_1", "Home"), instance("ainst_2", "Shop"), instance("ainst_3", "Shop")];
const answers = {
  "GET /api/alerts/instances": { instances, limit: 20, offset: 0 },
  "GET /api/alerts": { alerts: [rule] },
  "GET /api/checks": { checks: [aCheck("Home")] },
  "GET /api/notification-channels": { channels: [{ id: "nch_1", name: "On call", config: {} }] },
};
const svc = (args: string[], more = {}) => svcWith({ ...answers, ...more }, ["alerts", ...args]);

it("lists what fired, where, how bad it is and for how long", async () => {
  const { code, stdout } = await svc(["list"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/critical +active +Home +Down +1h ago +1h 30m +ainst_1/);
});

it("says of which alerts nobody was notified, and why", async () => {
  const heldBack = { reason: "dependency", text: "held back: depends on Home, which is failing" };
  const quiet = [instance("ainst_1", "Home", { muted: true }), instance("ainst_2", "Shop", { heldBack })];
  const { stdout } = await svc(["list"], {
    "GET /api/alerts/instances": { instances: quiet, limit: 20, offset: 0 },
  });
  expect(stdout).toMatch(/active, muted +Home/);
  expect(stdout).toMatch(/active, held back +Shop/);
});

it("asks for open alerts, unless states or all are wanted", async () => {
  const asked: string[] = [];
  const fetch = async (input: unknown) => {
    asked.push(new URL(String(input)).searchParams.get("state") ?? "any");
    return Response.json({ instances: [], limit: 20, offset: 0 });
  };
  for (const args of [[], ["--all"], ["--state", "recovered, resolved"]])
    await svcWith({}, ["alerts", "list", ...args], { fetch });
  expect(asked).toEqual(["active,acknowledged", "any", "recovered,resolved"]);
  const bad = await svc(["list", "--state", "open"]);
  expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining("active, acknowledged")]);
});

it.each([
  ["ack", "acknowledge", "Acknowledged"],
  ["resolve", "resolve", "Resolved"],
  ["unmute", "unmute", "Unmuted"],
])("%s acts on the one open alert of a monitor, or on an id", async (verb, action, done) => {
  const route = `POST /api/alerts/instances/ainst_1/${action}`;
  for (const typed of ["ainst_1", "home"]) {
    const ran = await svc([verb, typed], { [route]: { success: true } });
    expect([ran.code, ran.changes, ran.stdout]).toEqual([0, [route], `${done} ainst_1.\n`]);
  }
});

it("a monitor with several open alerts is ambiguous: nothing is done, the ids are listed", async () => {
  const { code, changes, stderr } = await svc(["ack", "Shop"]);
  expect([code, changes]).toEqual([1, []]);
  expect(stderr).toMatch(/2 open alerts are named "Shop"[\s\S]*ainst_2\n +ainst_3/);
});

it("an alert that is not active any more is a conflict", async () => {
  const conflict = () => ({ status: 409, body: { error: "The alert is not active" } });
  const { code, json } = await svc(["ack", "ainst_1", "--json"], {
    "POST /api/alerts/instances/ainst_1/acknowledge": conflict,
  });
  expect([code, json().error]).toEqual([
    1,
    {
      code: "general_error",
      message: "The alert is not active",
      details: { httpStatus: 409, exitCode: 1 },
    },
  ]);
});

it("mutes until it is unmuted, or for a while from now on", async () => {
  const route = "POST /api/alerts/instances/ainst_1/mute";
  const done = { [route]: { success: true } };
  expect((await svc(["mute", "ainst_1"], done)).changes).toEqual([{ route, body: {} }]);
  const { changes, json } = await svc(["mute", "ainst_1", "--for", "2h", "--json"], done);
  expect(changes).toEqual([{ route, body: { until: "2026-06-01T14:00:00.000Z" } }]);
  expect(json().data).toEqual({ id: "ainst_1", mutedUntil: "2026-06-01T14:00:00.000Z" });
  expect((await svc(["mute", "ainst_1", "--for", "5"], done)).code).toBe(1);
});

it("get shows why it fired and its history", async () => {
  const full = { ...instance("ainst_1", "Home"), muted: true, mutedUntil: null, triggeringResultId: "res_1" };
  const events = [{ type: "triggered", actorId: null, createdAt: "2026-06-01T10:30:00.000Z" }];
  const got = { "GET /api/alerts/instances/ainst_1": { instance: full, events } };
  const { code, stdout } = await svc(["get", "ainst_1"], got);
  expect(code).toBe(0);
  expect(stdout).toMatch(/Muted: +until it is unmuted/);
  expect(stdout).toContain('"observed": 3');
  expect(stdout).toContain("2026-06-01T10:30:00.000Z  triggered");
});

it("explain tells what holds, and what the others lack", async () => {
  const condition = { type: "consecutive_failures", count: 2 };
  const compared = { type: "consecutive_failures", condition, threshold: 2 };
  const explanation = {
    at: "2026-06-01T12:00:00.000Z",
    holds: false,
    conditions: [
      { ...compared, holds: true, observed: 2, summary: "2 failures in a row from Frankfurt", missing: null },
      {
        ...compared,
        holds: false,
        observed: 1,
        summary: null,
        missing: "2 failures in a row from one location",
      },
    ],
  };
  const got = { "GET /api/alerts/alert_1/explain": explanation };
  const { code, stdout } = await svc(["explain", "down"], got);
  expect(code).toBe(0);
  expect(stdout).toMatch(/holds +consecutive_failures count=2\n +2 failures in a row from Frankfurt/);
  expect(stdout).toContain("missing: 2 failures in a row from one location");
  const { json } = await svc(["explain", "Down", "--json"], got);
  expect(json().data).toEqual({ rule: { id: "alert_1", name: "Down", checkName: "Home" }, ...explanation });
});

it("rules are listed with their monitor and conditions, and shown with their channels", async () => {
  const list = await svc(["rules", "list"]);
  expect(list.stdout).toMatch(/Down +Home +enabled +consecutive_failures count=2 +2 +alert_1/);
  const { json } = await svc(["rules", "get", "down", "--json"]);
  expect(json().data.rule).toMatchObject({
    checkName: "Home",
    channels: [
      { id: "nch_1", name: "On call" },
      { id: "nch_2", name: null },
    ],
  });
});
