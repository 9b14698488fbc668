import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createIncidentTest, type IncidentTest } from "../../../test-support/incident-test.ts";
import { autoResolve } from "./auto-resolve.ts";

let test: IncidentTest;
beforeAll(async () => {
  test = await createIncidentTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

describe("lifecycle", () => {
  async function anIncident() {
    const check = await test.watched("https://a.example/");
    await test.fail(check);
    await test.process();
    const [incident] = await test.incidents();
    return { check, id: incident.id as string };
  }

  it("attached, recovered, cooled down: every event once, in order, and as a log record", async () => {
    const { check, id } = await anIncident();
    const second = await test.watched("https://a.example/2");
    await test.fail(second);
    await test.process();
    test.clock.advance(60_000);
    for (const one of [check, second]) await test.succeed(one);
    await test.process();
    test.clock.advance(299_999);
    await autoResolve(test.services);
    expect((await test.detail(id)).incident).toMatchObject({ state: "open", openMemberCount: 0 });
    test.clock.advance(1);
    await autoResolve(test.services);
    await autoResolve(test.services);
    expect((await test.detail(id)).incident).toMatchObject({ state: "resolved", severity: "critical" });
    expect(await test.eventTypes(id)).toEqual(["opened", "alert_attached", "auto_resolved"]);
    const records = await test.services
      .knex("derivedEvents")
      .where({ teamId: test.team.teamId })
      .whereLike("name", "synthetics.incident.%")
      .orderBy("id");
    expect(records.map(({ name }) => name)).toEqual([
      "synthetics.incident.opened",
      "synthetics.incident.alert_attached",
      "synthetics.incident.auto_resolved",
    ]);
    expect(records[0].attributes["synthetics.incident.id"]).toBe(id);
  });

  it.each([
    ["an error of its own", "P0001"],
    ["a statement that takes too long", "57014"],
    ["a lock that is not given", "55P03"],
  ])("an incident that can't be resolved by %s keeps no other from it, and is logged", async (_, code) => {
    const first = await anIncident();
    const check = await test.watched("https://b.example/");
    await test.fail(check, "dns");
    await test.process();
    test.clock.advance(60_000);
    for (const one of [first.check, check]) await test.succeed(one);
    await test.process();
    await test.services.knex.raw(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${code}'; END $$;
      CREATE TRIGGER refuse BEFORE UPDATE ON incidents FOR EACH ROW WHEN (OLD.id = '${first.id}')
        EXECUTE FUNCTION refuse()`);
    onTestFinished(() => test.services.knex.raw("DROP FUNCTION refuse CASCADE"));
    test.clock.advance(300_000);
    await expect(autoResolve(test.services)).rejects.toThrow("1 ends of incidents failed");
    const states = new Map(
      (await test.incidents()).map(({ id, state }: { id: string; state: string }) => [id, state]),
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
      await test.succeed(check);
      test.clock.advance(200_000);
      await test.fail(check);
      await test.process();
      await autoResolve(test.services);
    }
    expect(await test.incidents()).toHaveLength(1);
    expect((await test.detail(id)).incident).toMatchObject({
      state: "open",
      memberCount: 4,
      openMemberCount: 1,
    });
  });

  it("a person acknowledges, notes, closes and reopens; a transition that the state does not allow is a conflict", async () => {
    const { id } = await anIncident();
    expect((await test.act(id, "acknowledge")).body).toEqual({ success: true, state: "acknowledged" });
    expect((await test.act(id, "acknowledge")).status).toBe(409);
    expect((await test.act(id, "reopen")).status).toBe(409);
    const noted = await test.act(id, "notes", { body: " Looking into it " });
    expect([noted.status, noted.body.note]).toMatchObject([201, { body: "Looking into it", incidentId: id }]);
    expect((await test.act(id, "close")).body).toEqual({ success: true, state: "closed" });
    expect((await test.act(id, "close")).status).toBe(409);
    expect((await test.act(id, "reopen")).body).toEqual({ success: true, state: "open" });
    const { events, incident } = await test.detail(id);
    expect(events.map((event: { eventType: string }) => event.eventType)).toEqual([
      "opened",
      "acknowledged",
      "note_added",
      "closed",
      "reopened",
    ]);
    const name = `${test.team.userId}@example.com`;
    expect(noted.body.note.authorName).toBe(name);
    expect(events[1].actor).toEqual({ type: "user", id: test.team.userId, name });
    expect(events[2].payload.note.body).toBe("Looking into it");
    expect(incident).toMatchObject({ acknowledgedAt: null, closedAt: null, state: "open" });
  });

  it("of two people who close at once one succeeds", async () => {
    const { id } = await anIncident();
    const answers = await Promise.all([test.act(id, "close"), test.act(id, "close")]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it.each([
    [30 * 86_400_000 - 1, true],
    [30 * 86_400_000 + 1, false],
  ])("what ended %i ms before and comes again is named: %s", async (agoMs, isNamed) => {
    const { check, id } = await anIncident();
    await test.act(id, "close");
    test.clock.advance(60_000);
    await test.succeed(check);
    test.clock.advance(60_000);
    await test.services
      .knex("incidents")
      .where({ id })
      .update({ closedAt: new Date(test.now() - agoMs) });
    await test.fail(check);
    await test.process();
    const [again] = await test.incidents();
    expect(again.id).not.toBe(id);
    expect(again.recurrenceOf).toEqual(isNamed ? [id] : []);
  });

  it("its severity is the highest of its open alerts, up and down", async () => {
    const slow = await test.newCheck({ httpConfig: { url: "https://a.example/" } });
    await test.newRule(slow, {
      conditions: [{ type: "ssl_expiry", daysBeforeExpiry: 14, severity: "warning" }],
      channelIds: Object.values(test.channels),
    });
    const validTo = new Date(test.now() + 10 * 86_400_000).toISOString();
    await test.deliver(slow, [{ slotMs: test.now(), tls: { validTo } }]);
    await test.process();
    const [incident] = await test.incidents();
    expect(incident.severity).toBe("warning");
    const check = await test.watched("https://a.example/2");
    await test.fail(check);
    await test.process();
    expect((await test.detail(incident.id)).incident.severity).toBe("critical");
    test.clock.advance(60_000);
    await test.succeed(check);
    await test.process();
    const { events, incident: after } = await test.detail(incident.id);
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
