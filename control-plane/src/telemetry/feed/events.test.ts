import { newId, resultIdOf } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../../test-support/alerting.ts";
import { createTestClock } from "../../../test-support/app.ts";
import { recordNotified } from "../../alerting/instances/record-notified.ts";
import { markLateBuckets } from "../../results/ingest/store.ts";
import { bucketOf, hourOf } from "../../results/rollups/buckets.ts";
import { registerEventRoutes } from "./routes.ts";

let test: AlertTest;
let check: AlertTestCheck;

beforeAll(async () => {
  // Results are stamped by the database's clock.
  test = await createAlertTest({ register: registerEventRoutes, clock: createTestClock(Date.now()) });
  check = await test.newCheck({ name: "Shop" });
});
afterAll(() => test.close());

const feed = async (query: string, headers?: Record<string, string>) =>
  test.call("GET", `/api/events${query}`, undefined, headers);
const feedOf = async (of: AlertTestCheck, query = "") =>
  (await feed(`?checkId=${of.id}${query}`)).body.events;
const nowMs = () => test.clock.nowMs();

/** Moves results' creation, which the database stamps. */
async function createdAt(of: AlertTestCheck, slotMs: number, atMs: number): Promise<void> {
  await test.services
    .knex("results")
    .where({ checkKey: of.key, slotMs })
    .update({ createdAt: new Date(atMs) });
}

describe("an event", () => {
  it("of a success says what ran where and how long it took", async () => {
    const own = await test.newCheck({ name: "Shop" });
    const traceId = "0123456789abcdef0123456789abcdef";
    const slotMs = nowMs() - 1_000;
    await test.deliver(own, [{ slotMs, responseTimeMs: 123.4, traceId }]);
    const [event] = await feedOf(own);
    expect(event).toMatchObject({
      id: resultIdOf({ slotMs, checkKey: own.key, locationKey: own.locationKeys[0] as number }),
      eventType: "check.completed",
      checkId: own.id,
      checkName: "Shop",
      checkType: "http",
      severity: null,
      traceId,
      resourceAttributes: {
        "synthetics.check.id": own.id,
        "synthetics.check.name": "Shop",
        "synthetics.check.type": "http",
        "synthetics.location.id": "loc_us_east",
        "synthetics.location.name": "us-east",
      },
    });
    expect(event.resourceAttributes["synthetics.run.id"]).toMatch(/^run_/);
    expect(event.attributes).toEqual({
      "synthetics.http.response_time": 123.4,
      "synthetics.check.success": true,
      "synthetics.http.status_code": 200,
    });
  });

  it("of a failure carries its message and is critical", async () => {
    const own = await test.newCheck();
    await test.deliver(own, [
      { slotMs: nowMs() - 1_000, status: "error", detail: { errorMessage: "refused\nby peer" } },
    ]);
    const [event] = await feedOf(own);
    expect(event).toMatchObject({
      eventType: "check.failed",
      severity: "critical",
      summary: "Home page failed from us-east: refused by peer",
      attributes: {
        "synthetics.check.success": false,
        "synthetics.check.error_message": "refused\nby peer",
        "error.message": "refused\nby peer",
      },
    });
  });

  it("of a drift stands beside that of its run, with the same trace and run", async () => {
    const own = await test.newCheck();
    const names = Array.from({ length: 60 }, (_, i) => `tool-${i}`);
    const mcpSchemaDrift = { added: names, removed: ["old"], modified: [], escalated: [], server: [] };
    await test.deliver(own, [
      { slotMs: nowMs() - 1_000, traceId: "0123456789abcdef0123456789abcdee", detail: { mcpSchemaDrift } },
    ]);
    const events = await feedOf(own);
    const run = events.find((event: { eventType: string }) => event.eventType === "check.completed");
    const drift = events.find((event: { eventType: string }) => event.eventType === "check.mcp_schema_drift");
    expect(drift).toMatchObject({
      id: `${run.id}:drift`,
      severity: "warning",
      traceId: run.traceId,
      timestamp: run.timestamp,
      attributes: {
        "synthetics.mcp.drift.added_count": 60,
        "synthetics.mcp.drift.removed_count": 1,
        "synthetics.mcp.drift.modified_count": 0,
        "synthetics.mcp.drift.total_count": 61,
        "synthetics.mcp.drift.removed_tools": ["old"],
      },
    });
    expect(drift.attributes["synthetics.mcp.drift.added_tools"]).toHaveLength(50);
    expect(drift.resourceAttributes["synthetics.run.id"]).toBe(run.resourceAttributes["synthetics.run.id"]);
    expect(await feedOf(own, "&type=check.mcp_schema_drift")).toMatchObject([{ id: `${run.id}:drift` }]);
  });

  it("of an alert names instance and rule", async () => {
    const own = await test.newCheck({ name: "Shop" });
    const ruleId = await test.newRule(own, {
      name: "Down",
      conditions: [{ type: "consecutive_failures", count: 1 }],
    });
    await test.deliver(own, [{ slotMs: nowMs() - 1_000, status: "failure" }]);
    const [instance] = await test.instances(own);
    await test.call("POST", `/api/alerts/instances/${instance.id}/acknowledge`);
    const [triggered] = await feedOf(own, "&type=alert.triggered");
    expect(triggered).toMatchObject({
      eventType: "alert.triggered",
      severity: "critical",
      checkId: own.id,
      checkType: "http",
      summary: "Down: alert triggered: failing from US East (Virginia)",
      resourceAttributes: {
        "synthetics.alert.instance_id": instance.id,
        "synthetics.alert.rule_id": ruleId,
        "synthetics.alert.rule_name": "Down",
        "synthetics.check.id": own.id,
        "synthetics.check.name": "Shop",
      },
      attributes: {
        "synthetics.alert.state": "active",
        "synthetics.alert.severity": "critical",
        "synthetics.alert.event_type": "triggered",
      },
    });
    expect(triggered.id).toMatch(/^aevt_/);
    expect(await feedOf(own, "&type=alert.acknowledged")).toMatchObject([
      {
        attributes: {
          "synthetics.alert.state": "acknowledged",
          "synthetics.alert.actor": test.team.apiKeyId,
        },
      },
    ]);
  });
});

describe("order and pages", () => {
  it("newest first over all sources; pages neither repeat nor skip; hasMore tells whether there is more", async () => {
    const own = await test.newCheck({ locations: ["loc_us_east", "loc_eu_west"] });
    await test.newRule(own, { conditions: [{ type: "consecutive_failures", count: 1 }] });
    const startMs = nowMs() - 3_600_000;
    for (let i = 0; i < 20; i++) {
      const slotMs = startMs + i * 60_000;
      const status = i === 10 ? ("failure" as const) : ("success" as const);
      await test.deliver(
        own,
        own.locationKeys.map((locationKey) => ({ slotMs, locationKey, status })),
      );
      await createdAt(own, slotMs, slotMs + 500);
    }
    const all = await feedOf(own, "&limit=200");
    expect(all.length).toBe(40 + 2);
    const times = all.map((event: { timestamp: string }) => event.timestamp);
    expect(times).toEqual([...times].sort().reverse());
    const pages = [];
    for (let offset = 0; ; offset += 10) {
      const { body } = await feed(`?checkId=${own.id}&limit=10&offset=${offset}`);
      pages.push(...body.events);
      expect(body).toMatchObject({ limit: 10, offset });
      expect(body.hasMore).toBe(offset + 10 < 42);
      if (!body.hasMore) break;
    }
    expect(pages.map(({ id }) => id)).toEqual(all.map(({ id }: { id: string }) => id));
  });

  it("a result that came late stands where it was stored, once", async () => {
    const own = await test.newCheck();
    const [early, late] = [nowMs() - 1_000, nowMs() - 5 * 3_600_000];
    await test.deliver(own, [{ slotMs: early }]);
    await createdAt(own, early, nowMs() - 900);
    await test.deliver(own, [{ slotMs: late }]);
    await createdAt(own, late, nowMs() - 100);
    await test.services.knex.transaction((trx) => markLateBuckets(trx, [bucketOf(early), bucketOf(late)]));
    expect(await test.services.knex("lateHours").select("hourMs")).toEqual([{ hourMs: hourOf(late) }]);
    const slots = (await feedOf(own, "&range=1h")).map((event: { id: string }) => event.id);
    const idOf = (slotMs: number) =>
      resultIdOf({ slotMs, checkKey: own.key, locationKey: own.locationKeys[0] as number });
    expect(slots).toEqual([idOf(late), idOf(early)]);
  });

  it("finds events of weeks ago, and none outside of the range", async () => {
    const own = await test.newCheck();
    const slotMs = nowMs() - 6 * 86_400_000;
    await test.deliver(own, [{ slotMs }]);
    await createdAt(own, slotMs, slotMs + 300);
    expect(await feedOf(own, "&range=7d")).toHaveLength(1);
    expect(await feedOf(own, "&range=24h")).toEqual([]);
  });
});

describe("filters", () => {
  it("by type; severity concerns alert events only", async () => {
    const own = await test.newCheck();
    await test.newRule(own, { conditions: [{ type: "consecutive_failures", count: 1 }] });
    await test.deliver(own, [{ slotMs: nowMs() - 2_000 }]);
    await test.deliver(own, [{ slotMs: nowMs() - 1_000, status: "timeout" }]);
    const types = async (query: string) =>
      (await feedOf(own, query)).map((event: { eventType: string }) => event.eventType).sort();
    expect(await types("&type=check.failed")).toEqual(["check.failed"]);
    expect(await types("&type=check.completed")).toEqual(["check.completed"]);
    expect(await types("&type=check.completed,alert.triggered")).toEqual([
      "alert.triggered",
      "check.completed",
    ]);
    expect(await types("&severity=info")).toEqual(["check.completed", "check.failed"]);
    expect(await types("&severity=critical")).toEqual(["alert.triggered", "check.completed", "check.failed"]);
  });

  it.each([
    ["?type=check.exploded", 400],
    ["?offset=10001", 400],
    ["?offset=10000", 200],
    ["?limit=0", 200],
    ["?limit=1000", 200],
    ["?limit=x", 400],
    ["?range=2h", 400],
    ["?severity=fatal", 400],
    ["?checkId=chk_unknown", 200],
  ])("%s is answered %i", async (query, status) => {
    expect((await feed(query)).status).toBe(status);
  });

  it("a limit out of range is clamped and echoed", async () => {
    expect((await feed("?limit=0")).body.limit).toBe(1);
    expect((await feed("?limit=1000")).body.limit).toBe(200);
  });

  it("another team sees nothing of it", async () => {
    const { byKey } = await test.createTeam();
    expect((await feed("", byKey)).body.events).toEqual([]);
    expect((await feed(`?checkId=${check.id}`, byKey)).body.events).toEqual([]);
  });
});

describe("a deleted check", () => {
  it("keeps its last results and the end of its alert in the feed, and no other team sees them", async () => {
    const own = await test.newCheck({ name: "Gone" });
    const ruleId = await test.newRule(own, {
      name: "Down",
      conditions: [{ type: "consecutive_failures", count: 1 }],
    });
    await test.deliver(own, [{ slotMs: nowMs() - 2_000, detail: { mcpSchemaDrift: { added: ["a"] } } }]);
    await test.deliver(own, [{ slotMs: nowMs() - 1_000, status: "failure" }]);
    const before = await feedOf(own);
    expect((await test.call("DELETE", `/api/checks/${own.id}`)).status).toBe(200);
    const after = await feedOf(own);
    const [resolved] = after.filter((event: { eventType: string }) => event.eventType === "alert.resolved");
    expect(resolved).toMatchObject({
      checkId: own.id,
      checkName: "Gone",
      checkType: "http",
      resourceAttributes: { "synthetics.alert.rule_id": ruleId, "synthetics.alert.rule_name": "Down" },
      attributes: { "synthetics.alert.details": { reason: "the check was deleted" } },
    });
    const others = after.filter((event: { id: string }) => event.id !== resolved.id);
    expect(others).toEqual(before);
    const all = (await feed("?limit=200")).body.events.map((event: { id: string }) => event.id);
    expect(all).toEqual(expect.arrayContaining(after.map((event: { id: string }) => event.id)));
    const instanceId = resolved.resourceAttributes["synthetics.alert.instance_id"];
    const channel = { channelId: newId("channel"), channelName: "Ops", channelType: "webhook" };
    await recordNotified(test.services.knex, [{ instanceId, kind: "resolved", ...channel }], nowMs());
    expect(await feedOf(own, "&type=alert.notified")).toMatchObject([
      { checkId: own.id, attributes: { "synthetics.alert.state": "resolved" } },
    ]);
    const stranger = await test.createTeam();
    expect((await feed(`?checkId=${own.id}`, stranger.byKey)).body.events).toEqual([]);
  });
});
