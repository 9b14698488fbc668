import { newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import {
  type AlertTest,
  type AlertTestCheck,
  createAlertTest,
  type Delivered,
} from "../../../test-support/alerting.ts";
import { autoResolve } from "./auto-resolve.ts";
import { processQueue } from "./queue-batch.ts";
import { registerIncidentRoutes } from "./routes.ts";

let test: AlertTest;
beforeAll(async () => {
  test = await createAlertTest({ register: registerIncidentRoutes });
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
  channels = {
    webhook: await aChannel("webhook"),
    chat: await aChannel("chat"),
    paging: await aChannel("paging"),
    alertsOnly: await test.newChannel(test.team.teamId),
  };
  test.clock.advance(3_600_000);
});

let channels: Record<"webhook" | "chat" | "paging" | "alertsOnly", string>;

async function aChannel(type: string): Promise<string> {
  const { knex, secrets } = test.services;
  const id = newId("channel");
  const config = secrets.seal(JSON.stringify({ type }), id);
  await knex("notificationChannels").insert({ id, teamId: test.team.teamId, name: id, type, config });
  return id;
}

const EAST = "loc_us_east";
const WEST = "loc_us_west";
const EUROPE = "loc_eu_west";

/** A check of a target with a rule that fires at the first failure. */
async function watched(
  url: string,
  options: { locations?: string[]; labels?: string[]; name?: string; category?: string } = {},
) {
  const { locations = [EAST], labels = [], name = url } = options;
  const check = await test.newCheck({ name, locations, httpConfig: { url } });
  await test.newRule(check, {
    name: "Down",
    conditions: [{ type: "consecutive_failures", count: 1 }],
    channelIds: Object.values(channels),
  });
  for (const label of labels) await test.services.knex("checkLabels").insert({ checkKey: check.key, label });
  return check;
}

const now = () => test.clock.nowMs();
const failure = (errorCategory = "connect", more: Partial<Delivered> = {}): Delivered => ({
  slotMs: now(),
  status: "error",
  detail: { errorCategory, errorMessage: `${errorCategory} failed` },
  ...more,
});
const fail = (check: AlertTestCheck, errorCategory?: string) => test.deliver(check, [failure(errorCategory)]);
const succeed = (check: AlertTestCheck) => test.deliver(check, [{ slotMs: now() }]);
const process = () =>
  processQueue(test.services.knex, { teamId: test.team.teamId, limit: 1_000, nowMs: now() });
const incidents = async () => (await test.call("GET", "/api/incidents")).body.incidents;
const detail = async (id: string) => (await test.call("GET", `/api/incidents/${id}`)).body;
const eventTypes = async (id: string) =>
  (await detail(id)).events.map((event: { eventType: string }) => event.eventType);
const act = (id: string, action: string, body?: object) =>
  test.call("POST", `/api/incidents/${id}/${action}`, body, test.team.bySession);
/** Returns the kinds of the notifications that wait for a channel, in their order. */
const notifiedTo = async (channel: keyof typeof channels): Promise<string[]> => {
  const { knex } = test.services;
  const rows = await knex("notifications")
    .join("notificationChannels as c", "c.key", "notifications.channelKey")
    .where("c.id", channels[channel])
    .orderBy("notifications.key")
    .select("notifications.kind");
  return rows.map(({ kind }) => kind);
};

describe("correlation", () => {
  it("an alert opens an incident that says what, where and why", async () => {
    const check = await watched("https://api.shop.example/health", { name: "API" });
    await fail(check);
    await process();
    const [incident] = await incidents();
    expect(incident).toMatchObject({
      state: "open",
      severity: "critical",
      title: "API: failing from US East (Virginia)",
      memberCount: 1,
      openMemberCount: 1,
      recurrenceOf: [],
      triageUrl: `http://127.0.0.1:8080/incidents/${incident.id}`,
      observations: {
        sources: ["synthetic_http"],
        syntheticHttp: {
          affectedChecks: [{ checkId: check.id, checkName: "API" }],
          errorSignature: {
            errorCategories: ["connect"],
            locationsAffected: ["US East (Virginia)"],
            sampleMessages: ["connect failed"],
          },
        },
      },
    });
    expect(incident.hypothesis.summary).toContain("api.shop.example refuses connections");
    const { events, alerts } = await detail(incident.id);
    expect(events).toMatchObject([{ eventType: "opened", actor: { type: "system", id: null } }]);
    expect(events[0].payload.memberAlertInstanceIds).toEqual([alerts[0].id]);
    expect(await test.services.knex("incidentQueue").where({ teamId: test.team.teamId })).toEqual([]);
  });

  it.each([
    ["the host", "https://a.example/1", "https://a.example/2", {}, {}, 1],
    ["the domain", "https://a.shop.example.com/", "https://b.shop.example.com/", {}, {}, 1],
    ["a label", "https://a.example/", "https://b.example/", { labels: ["pay"] }, { labels: ["pay"] }, 1],
    ["location and error category", "https://a.example/", "https://b.example/", {}, {}, 1],
    ["the location alone", "https://a.example/", "https://b.example/", {}, { category: "dns" }, 2],
    ["the error category alone", "https://a.example/", "https://b.example/", {}, { locations: [WEST] }, 2],
    ["a public suffix", "https://a.co.uk/", "https://b.co.uk/", {}, { category: "dns" }, 2],
  ])("alerts that share %s: %s and %s", async (_name, first, second, one, other, count) => {
    await fail(await watched(first, one));
    await fail(await watched(second, other), "category" in other ? other.category : undefined);
    await process();
    expect(await incidents()).toHaveLength(count);
  });

  it.each([
    [300_000, 1],
    [300_001, 2],
  ])("alerts that begin %i ms apart are %i incidents", async (apartMs, count) => {
    await fail(await watched("https://a.example/1"));
    await process();
    test.clock.advance(apartMs);
    await fail(await watched("https://a.example/2"));
    await process();
    expect(await incidents()).toHaveLength(count);
  });

  it("another team's alerts are another team's incident", async () => {
    await fail(await watched("https://a.example/1"));
    await process();
    const [own] = await incidents();
    const other = await test.createTeam();
    expect((await test.call("GET", `/api/incidents/${own.id}`, undefined, other.byKey)).status).toBe(404);
    expect((await test.call("GET", "/api/incidents", undefined, other.byKey)).body.incidents).toEqual([]);
    expect((await test.call("POST", `/api/incidents/${own.id}/close`, {}, other.bySession)).status).toBe(404);
  });

  it("a location that fails as a whole is one incident of that location", async () => {
    const locations = [EAST, WEST, EUROPE];
    const categories = ["connect", "dns", "timeout", "tls", "connect"];
    const checks = await Promise.all(
      categories.map((_, i) => watched(`https://target-${i}.example/`, { locations })),
    );
    for (const [i, check] of checks.entries()) {
      const [east, west, europe] = check.locationKeys as [number, number, number];
      await test.deliver(check, [
        failure(categories[i], { locationKey: east }),
        ...[west, europe].map((locationKey) => ({ slotMs: now(), locationKey })),
      ]);
      await process();
    }
    const all = await incidents();
    expect(all).toHaveLength(1);
    expect(all[0].title).toBe("5 checks failing from US East (Virginia)");
    expect(all[0].hypothesis.summary).toContain(
      "US East (Virginia) or its network is the likely cause: 5 of 5",
    );
    expect(all[0].hypothesis.correlationDimensionsMatched).toEqual([`location:${EAST}`]);
  });

  describe("incidents that were opened before it was known that a location fails as a whole", () => {
    const locations = [EAST, WEST];
    const categories = ["connect", "dns", "timeout", "tls", "script"];
    async function fleet() {
      const checks = await Promise.all(
        categories.map((_, i) => watched(`https://target-${i}.example/`, { locations, name: `Check ${i}` })),
      );
      for (const check of checks)
        await test.deliver(
          check,
          check.locationKeys.map((locationKey) => ({ slotMs: now(), locationKey })),
        );
      test.clock.advance(60_000);
      const failAt = async (index: number, places: readonly number[]) => {
        const check = checks[index] as AlertTestCheck;
        const results = places.map((place) =>
          failure(categories[index], { locationKey: check.locationKeys[place] as number }),
        );
        await test.deliver(check, results);
        await process();
      };
      return { checks, failAt };
    }

    it("are folded into the oldest of them: one incident has all alerts, the others are closed and say why", async () => {
      const { checks, failAt } = await fleet();
      await failAt(0, [0]);
      await failAt(1, [0]);
      expect((await incidents()).map(({ state }: { state: string }) => state)).toEqual(["open", "open"]);
      const [second, first] = await incidents();
      await failAt(2, [0]);
      await failAt(3, [0]);
      expect(await incidents()).toHaveLength(2);
      const { incident, alerts } = await detail(first.id);
      expect(incident).toMatchObject({
        state: "open",
        title: "4 checks failing from US East (Virginia)",
        memberCount: 4,
        openMemberCount: 4,
        mergedInto: null,
      });
      expect(incident.hypothesis.correlationDimensionsMatched).toEqual([`location:${EAST}`]);
      expect(alerts).toHaveLength(4);
      expect(await eventTypes(first.id)).toEqual(["opened", "alert_attached", "alert_attached"]);
      const folded = await detail(second.id);
      expect(folded.incident).toMatchObject({ state: "closed", closedBy: null, mergedInto: first.id });
      expect(folded.events.at(-1)).toMatchObject({
        eventType: "closed",
        actor: { type: "system", id: null },
        payload: { previousState: "open", mergedInto: first.id, reason: expect.stringContaining(first.id) },
      });
      expect((await act(second.id, "reopen")).status).toBe(409);
      // The page of each incident: that of a folded one ends, and its alerts end on the page of the other.
      test.clock.advance(60_000);
      for (const check of checks) await test.deliver(check, [{ slotMs: now() }]);
      await process();
      expect((await detail(first.id)).incident).toMatchObject({ openMemberCount: 0 });
      expect(await notifiedTo("paging")).toEqual([
        "incident.opened",
        "incident.opened",
        "incident.closed",
        "incident.alert_attached",
        "incident.alert_attached",
        "incident.members_recovered",
      ]);
    });

    it("stay what they are when they fail elsewhere, too, or began more than 5 minutes before", async () => {
      const { failAt } = await fleet();
      await failAt(0, [0]);
      test.clock.advance(300_001);
      await failAt(1, [0, 1]);
      await failAt(2, [0]);
      await failAt(3, [0]);
      await failAt(4, [0]);
      const open = (await incidents()).filter(({ state }: { state: string }) => state === "open");
      const members = open.map(({ memberCount }: { memberCount: number }) => memberCount);
      expect(members).toEqual([3, 1, 1]);
    });

    it("are folded into the one that someone has acknowledged", async () => {
      const { failAt } = await fleet();
      await failAt(0, [0]);
      await failAt(1, [0]);
      const [second, first] = await incidents();
      await act(second.id, "acknowledge");
      await failAt(2, [0]);
      expect((await detail(second.id)).incident).toMatchObject({ state: "acknowledged", memberCount: 3 });
      expect((await detail(first.id)).incident).toMatchObject({ state: "closed", mergedInto: second.id });
    });
  });

  it("a muted alert opens no incident until it is unmuted", async () => {
    const check = await watched("https://a.example/");
    const windows = {
      name: newId("maintenanceWindow"),
      mode: "continue",
      timezone: "UTC",
      isForAllChecks: true,
      id: newId("maintenanceWindow"),
      teamId: test.team.teamId,
    };
    const [{ key: windowKey }] = await test.services
      .knex("maintenanceWindows")
      .insert({
        ...windows,
        startsAt: new Date(now() - 1000),
        endsAt: new Date(now() + 60_000),
        expandedUntil: new Date(now()),
      })
      .returning("key");
    const occurrence = { windowKey, startsAt: new Date(now() - 1000), endsAt: new Date(now() + 60_000) };
    await test.services.knex("maintenanceOccurrences").insert(occurrence);
    await fail(check);
    await process();
    expect(await incidents()).toEqual([]);
    const [instance] = await test.instances(check);
    expect((await test.call("POST", `/api/alerts/instances/${instance.id}/unmute`)).status).toBe(200);
    await process();
    expect(await incidents()).toHaveLength(1);
  });

  it("an entry of the queue that two workers process at once counts once", async () => {
    await fail(await watched("https://a.example/"));
    await Promise.all([process(), process(), process()]);
    const [incident] = await incidents();
    expect(await eventTypes(incident.id)).toEqual(["opened"]);
    expect(await notifiedTo("webhook")).toEqual(["incident.opened"]);
  });
});

describe("lifecycle", () => {
  async function anIncident() {
    const check = await watched("https://a.example/");
    await fail(check);
    await process();
    const [incident] = await incidents();
    return { check, id: incident.id as string };
  }

  it("attached, recovered, cooled down: every event once, in order, and as a log record", async () => {
    const { check, id } = await anIncident();
    const second = await watched("https://a.example/2");
    await fail(second);
    await process();
    test.clock.advance(60_000);
    for (const one of [check, second]) await succeed(one);
    await process();
    test.clock.advance(299_999);
    await autoResolve(test.services);
    expect((await detail(id)).incident).toMatchObject({ state: "open", openMemberCount: 0 });
    test.clock.advance(1);
    await autoResolve(test.services);
    await autoResolve(test.services);
    expect((await detail(id)).incident).toMatchObject({ state: "resolved", severity: "critical" });
    expect(await eventTypes(id)).toEqual(["opened", "alert_attached", "auto_resolved"]);
    const records = await test.services
      .knex("derivedEvents")
      .where({ teamId: test.team.teamId })
      .orderBy("id");
    expect(records.map(({ name }) => name)).toEqual([
      "synthetics.incident.opened",
      "synthetics.incident.alert_attached",
      "synthetics.incident.auto_resolved",
    ]);
    expect(records[0].attributes["synthetics.incident.id"]).toBe(id);
  });

  it("an incident that can't be resolved keeps no other from it, and is logged", async () => {
    const first = await anIncident();
    const check = await watched("https://b.example/");
    await fail(check, "dns");
    await process();
    test.clock.advance(60_000);
    for (const one of [first.check, check]) await succeed(one);
    await process();
    await test.services.knex.raw(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
      CREATE TRIGGER refuse BEFORE UPDATE ON incidents FOR EACH ROW WHEN (OLD.id = '${first.id}')
        EXECUTE FUNCTION refuse()`);
    onTestFinished(() => test.services.knex.raw("DROP FUNCTION refuse CASCADE"));
    test.clock.advance(300_000);
    await expect(autoResolve(test.services)).rejects.toThrow("1 incidents could not be ended");
    const states = new Map(
      (await incidents()).map(({ id, state }: { id: string; state: string }) => [id, state]),
    );
    expect([...states].map(([id, state]) => [id === first.id, state]).sort()).toEqual([
      [false, "resolved"],
      [true, "open"],
    ]);
  });

  it("a target that comes and goes stays one incident, and its cool-down begins anew", async () => {
    const { check, id } = await anIncident();
    for (let i = 0; i < 3; i++) {
      test.clock.advance(200_000);
      await succeed(check);
      test.clock.advance(200_000);
      await fail(check);
      await process();
      await autoResolve(test.services);
    }
    expect(await incidents()).toHaveLength(1);
    expect((await detail(id)).incident).toMatchObject({ state: "open", memberCount: 4, openMemberCount: 1 });
  });

  it("a person acknowledges, notes, closes and reopens; a transition that the state does not allow is a conflict", async () => {
    const { id } = await anIncident();
    expect((await act(id, "acknowledge")).body).toEqual({ success: true, state: "acknowledged" });
    expect((await act(id, "acknowledge")).status).toBe(409);
    expect((await act(id, "reopen")).status).toBe(409);
    const noted = await act(id, "notes", { body: " Looking into it " });
    expect([noted.status, noted.body.note]).toMatchObject([201, { body: "Looking into it", incidentId: id }]);
    expect((await act(id, "close")).body).toEqual({ success: true, state: "closed" });
    expect((await act(id, "close")).status).toBe(409);
    expect((await act(id, "reopen")).body).toEqual({ success: true, state: "open" });
    const { events, incident } = await detail(id);
    expect(events.map((event: { eventType: string }) => event.eventType)).toEqual([
      "opened",
      "acknowledged",
      "note_added",
      "closed",
      "reopened",
    ]);
    expect(events[1].actor).toEqual({ type: "user", id: test.team.userId });
    expect(events[2].payload.note.body).toBe("Looking into it");
    expect(incident).toMatchObject({ acknowledgedAt: null, closedAt: null, state: "open" });
  });

  it("of two people who close at once one succeeds", async () => {
    const { id } = await anIncident();
    const answers = await Promise.all([act(id, "close"), act(id, "close")]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it.each([
    [30 * 86_400_000 - 1, true],
    [30 * 86_400_000 + 1, false],
  ])("what ended %i ms before and comes again is named: %s", async (agoMs, isNamed) => {
    const { check, id } = await anIncident();
    await act(id, "close");
    test.clock.advance(60_000);
    await succeed(check);
    test.clock.advance(60_000);
    await test.services
      .knex("incidents")
      .where({ id })
      .update({ closedAt: new Date(now() - agoMs) });
    await fail(check);
    await process();
    const [again] = await incidents();
    expect(again.id).not.toBe(id);
    expect(again.recurrenceOf).toEqual(isNamed ? [id] : []);
  });

  it("its severity is the highest of its open alerts, up and down", async () => {
    const slow = await test.newCheck({ httpConfig: { url: "https://a.example/" } });
    await test.newRule(slow, {
      conditions: [{ type: "ssl_expiry", daysBeforeExpiry: 14, severity: "warning" }],
      channelIds: Object.values(channels),
    });
    const validTo = new Date(now() + 10 * 86_400_000).toISOString();
    await test.deliver(slow, [{ slotMs: now(), tls: { validTo } }]);
    await process();
    const [incident] = await incidents();
    expect(incident.severity).toBe("warning");
    const check = await watched("https://a.example/2");
    await fail(check);
    await process();
    expect((await detail(incident.id)).incident.severity).toBe("critical");
    test.clock.advance(60_000);
    await succeed(check);
    await process();
    const { events, incident: after } = await detail(incident.id);
    expect(after.severity).toBe("warning");
    expect(events.map((event: { eventType: string }) => event.eventType)).toEqual([
      "opened",
      "alert_attached",
      "severity_changed",
      "severity_changed",
    ]);
    expect(events.at(-1).payload).toMatchObject({ previousSeverity: "critical", severity: "warning" });
  });
});

describe("who is notified", () => {
  it("webhooks of the incident or of the alerts, people of both, a page of the incident", async () => {
    const check = await watched("https://a.example/");
    await fail(check);
    await process();
    test.clock.advance(60_000);
    const [instance] = await test.instances(check);
    await test.call("POST", `/api/alerts/instances/${instance.id}/acknowledge`);
    await succeed(check);
    await process();
    const [incident] = await incidents();
    await act(incident.id, "notes", { body: "n" });
    await act(incident.id, "close");
    expect(await notifiedTo("alertsOnly")).toEqual(["triggered", "acknowledged", "recovered"]);
    expect(await notifiedTo("webhook")).toEqual([
      "incident.opened",
      "incident.note_added",
      "incident.closed",
    ]);
    expect(await notifiedTo("chat")).toEqual([
      "incident.opened",
      "acknowledged",
      "recovered",
      "incident.note_added",
      "incident.closed",
    ]);
    expect(await notifiedTo("paging")).toEqual([
      "incident.opened",
      "acknowledged",
      "incident.members_recovered",
      "incident.closed",
    ]);
  });

  it("incident events at webhooks are not retried; people's are", async () => {
    await fail(await watched("https://a.example/"));
    await process();
    const rows = await test.services
      .knex("notifications")
      .join("notificationChannels as c", "c.key", "notifications.channelKey")
      .where({ "notifications.teamId": test.team.teamId })
      .select("c.id", "isRetried");
    const isRetried = new Map(rows.map((row) => [row.id, row.isRetried]));
    expect([isRetried.get(channels.webhook), isRetried.get(channels.chat)]).toEqual([false, true]);
  });

  it("many alerts that end at once are notified together", async () => {
    const checks = await Promise.all(Array.from({ length: 5 }, (_, i) => watched(`https://a.example/${i}`)));
    for (const check of checks) await fail(check);
    await process();
    test.clock.advance(60_000);
    for (const check of checks) await succeed(check);
    await process();
    expect(await notifiedTo("chat")).toEqual([
      "incident.opened",
      "incident.alert_attached",
      "incident.alerts_recovered",
    ]);
    expect((await notifiedTo("paging")).at(-1)).toBe("incident.members_recovered");
  });

  it("a deployment shortly before is ruled in", async () => {
    const body = { service: "shop", version: "1.2.3" };
    await test.services.knex("deployments").insert({
      id: newId("deployment"),
      teamId: test.team.teamId,
      ...body,
      createdAt: new Date(now() - 240_000),
    });
    await fail(await watched("https://a.example/"));
    await process();
    const [{ hypothesis }] = await incidents();
    expect(hypothesis.ruledIn).toContain("deployment: shop 1.2.3, 4 min before");
    expect(hypothesis.scope).toBe("external_symptoms_and_changes");
  });
});
