/** The incident of a location beside other incidents, mutes, closings and a worker that lags. */
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AlertTestCheck, Delivered } from "../../../test-support/alerting.ts";
import { createIncidentTest, EAST, type IncidentTest, WEST } from "../../../test-support/incident-test.ts";
import { liftHold } from "../../alerting/holds/lift-hold.ts";
import { reviewHolds } from "../../alerting/holds/review-holds.ts";
import { readDueSteps, storeIncidentPolicy } from "../incident-policy/store.ts";
import { autoResolve } from "./auto-resolve.ts";
import { endLocationOutages } from "./end-location-outages.ts";
import { foldIncidents } from "./fold-incidents.ts";
import { processOneByOne } from "./queue-batch.ts";

let test: IncidentTest;
beforeAll(async () => {
  test = await createIncidentTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

const HERE = 0;
const THERE = 1;
const DOMAINS = ["https://a.com/", "https://b.org/", "https://c.net/"];
const CONNECT = { status: "error", detail: { errorCategory: "connect" } } as const;
const OK = { status: "success" } as const;
const HTTP_500 = { status: "failure", detail: { errorCategory: "assertion" } } as const;

interface Watching {
  count?: number;
  channels?: readonly string[];
}

async function watch(urls: readonly string[], { count = 2, channels }: Watching = {}) {
  const checks: AlertTestCheck[] = [];
  for (const url of urls) {
    const check = await test.newCheck({ name: url, locations: [EAST, WEST], httpConfig: { url } });
    await test.newRule(check, {
      conditions: [{ type: "consecutive_failures", count }],
      channelIds: channels ?? Object.values(test.channels),
    });
    checks.push(check);
  }
  return checks;
}

async function deliver(checks: readonly AlertTestCheck[], position: number, result: Partial<Delivered>) {
  for (const check of checks)
    await test.deliver(check, [
      { slotMs: test.now(), locationKey: check.locationKeys[position] as number, ...result },
    ]);
}

async function work(): Promise<void> {
  await test.process();
  await endLocationOutages(test.services.knex, test.now());
  await reviewHolds(test.services.knex, test.now());
  await test.process();
  await autoResolve(test.services);
}

/** Lets minutes pass in each of which the checks run once at the location and succeed at the other one. */
async function minutes(count: number, checks: readonly AlertTestCheck[], here: Partial<Delivered>) {
  for (let i = 0; i < count; i++) {
    test.clock.advance(30_000);
    await deliver(checks, HERE, here);
    await work();
    test.clock.advance(30_000);
    await deliver(checks, THERE, OK);
    await work();
  }
}

/** Lets all checks fail until their alerts are stored and held, and the worker has seen none of them. */
async function holdUnseen(checks: readonly AlertTestCheck[]): Promise<void> {
  await minutes(1, checks, OK);
  await minutes(1, checks, CONNECT);
  test.clock.advance(30_000);
  await deliver(checks, HERE, CONNECT);
}

/** Makes the waiting alerts warnings; every condition whose alerts are held is critical by itself. */
async function lessen(): Promise<void> {
  await test.services.knex.raw(
    `UPDATE location_holds SET payload = jsonb_set(payload, '{severity}', '"warning"') WHERE payload IS NOT NULL`,
  );
}

async function instanceOf(check: AlertTestCheck) {
  return (await test.call("GET", `/api/alerts/instances?checkId=${check.id}`)).body.instances[0];
}

const ofLocation = async () =>
  (await test.incidents()).filter(({ title }: { title: string }) => title.startsWith("Location "));

describe("incidents that began before it was known that the location is cut off", () => {
  it("end on channels that are notified of the location's incident then, which is as severe as they were", async () => {
    const { chat, paging } = test.channels;
    const early = await watch(["https://early.com/"], { count: 1, channels: [paging] });
    const late = await watch(DOMAINS, { channels: [chat] });
    await holdUnseen([...early, ...late]);
    await lessen();
    await minutes(2, [...early, ...late], CONNECT);
    expect(await test.notifiedTo("paging")).toEqual([
      "incident.opened",
      "incident.closed",
      "incident.opened",
    ]);
    const [incident] = await ofLocation();
    expect(incident).toMatchObject({ severity: "critical", memberCount: 1, openMemberCount: 1 });
    const { events } = await test.detail(incident.id);
    const { id } = await instanceOf(early[0] as AlertTestCheck);
    expect(events[0].payload).toMatchObject({ severity: "critical", memberAlertInstanceIds: [id] });
    await minutes(8, [...early, ...late], OK);
    expect((await test.notifiedTo("paging")).slice(3)).toEqual([
      "incident.members_recovered",
      "incident.auto_resolved",
    ]);
  });

  it("stay when their targets answered there", async () => {
    const wrong = await watch(["https://wrong.com/"], { count: 1 });
    const late = await watch(DOMAINS);
    await minutes(1, [...wrong, ...late], OK);
    await deliver(wrong, HERE, HTTP_500);
    await test.process();
    await minutes(3, late, CONNECT);
    const states = (await test.incidents()).map(({ state }: { state: string }) => state);
    expect(states).toEqual(["open", "open"]);
    expect(await ofLocation()).toMatchObject([{ memberCount: 0 }]);
  });

  it("are never what the location's own is folded into, as long as its outage lasts", async () => {
    const wrong = await watch(["https://wrong.com/"], { count: 1 });
    const early = await watch(["https://early.com/"], { count: 1 });
    const late = await watch(DOMAINS);
    await minutes(1, [...wrong, ...early, ...late], OK);
    await deliver(wrong, HERE, HTTP_500);
    await test.process();
    await minutes(6, [...early, ...late], OK);
    await minutes(3, [...early, ...late], CONNECT);
    await test.services.knex.transaction((trx) =>
      foldIncidents(
        trx,
        { teamId: test.team.teamId, nowMs: test.now() },
        {
          failing: new Map([[EAST as never, { failing: 5, total: 5 }]]),
          alerts: [{ startedAtMs: test.now() - 600_000 }],
        },
      ),
    );
    expect(await ofLocation()).toMatchObject([{ state: "open", mergedInto: null, openMemberCount: 1 }]);
  });

  it("don't keep steps of the policy from being due because their alerts are acknowledged", async () => {
    const early = await watch(["https://early.com/"], { count: 1 });
    const late = await watch(DOMAINS);
    await minutes(1, [...early, ...late], OK);
    await minutes(3, [...early, ...late], CONNECT);
    const { knex } = test.services;
    const steps = [{ afterMinutes: 1, channelIds: [test.channels.paging as never] }];
    await storeIncidentPolicy(knex, test.team.teamId, {
      steps: steps as never,
      updatedAt: new Date(test.now()).toISOString(),
    });
    const { id } = await instanceOf(early[0] as AlertTestCheck);
    const { status } = await test.call(
      "POST",
      `/api/alerts/instances/${id}/acknowledge`,
      {},
      test.team.bySession,
    );
    expect(status).toBe(200);
    await test.process();
    const [incident] = await ofLocation();
    expect(incident.state).toBe("open");
    const due = await readDueSteps(knex, { now: new Date(test.now() + 600_000), limit: 1_000 });
    expect(due.map((step) => step.id)).toContain(incident.id);
  });
});

describe("alerts that begin while the outage lasts", () => {
  it("open another incident when somebody has closed the location's", async () => {
    const checks = await watch(DOMAINS);
    const later = await watch(["https://later.dev/"], { count: 4 });
    await minutes(1, [...checks, ...later], OK);
    await minutes(3, [...checks, ...later], CONNECT);
    const [first] = await ofLocation();
    await test.act(first.id, "close");
    await minutes(3, [...checks, ...later], CONNECT);
    const [second, ...others] = await ofLocation();
    expect(others.map(({ id }: { id: string }) => id)).toEqual([first.id]);
    expect(second.state).toBe("open");
    const { heldBack } = await instanceOf(later[0] as AlertTestCheck);
    expect(heldBack.incidentId).toBe(second.id);
    expect((await instanceOf(checks[0] as AlertTestCheck)).heldBack.incidentId).toBe(second.id);
    const opened = (await test.notifiedTo("chat")).filter((kind) => kind === "incident.opened");
    expect(opened).toHaveLength(2);
    expect(await test.notifiedTo("alertsOnly")).toEqual([]);
    await minutes(8, [...checks, ...later], OK);
    expect((await ofLocation())[0].state).toBe("resolved");
  });

  it("raise the severity of the location's incident", async () => {
    const checks = await watch(DOMAINS);
    const later = await watch(["https://later.dev/"], { count: 4 });
    await holdUnseen([...checks, ...later]);
    await lessen();
    await work();
    const [before] = await ofLocation();
    expect(before.severity).toBe("warning");
    await minutes(3, [...checks, ...later], CONNECT);
    const [incident] = await ofLocation();
    expect(incident.severity).toBe("critical");
    const { events } = await test.detail(incident.id);
    expect(events.at(-1)).toMatchObject({
      eventType: "severity_changed",
      payload: { severity: "critical", previousSeverity: "warning" },
    });
  });

  it("and are muted at first are in the incident, and notified to their channels, as soon as the mute ends", async () => {
    const { chat, paging } = test.channels;
    const checks = await watch(DOMAINS, { channels: [chat] });
    const [muted] = (await watch(["https://muted.dev/"], { count: 4, channels: [paging] })) as [
      AlertTestCheck,
    ];
    await minutes(1, [...checks, muted], OK);
    await minutes(3, [...checks, muted], CONNECT);
    const { knex } = test.services;
    const [startsAt, endsAt] = [new Date(test.now() - 1_000), new Date(test.now() + 90_000)];
    const [window] = await knex("maintenanceWindows")
      .insert({
        id: `mw_${muted.key}`,
        teamId: test.team.teamId,
        name: "window",
        mode: "continue",
        isForAllChecks: false,
        startsAt,
        endsAt,
        timezone: "UTC",
        expandedUntil: endsAt,
      })
      .returning("key");
    await knex("maintenanceWindowChecks").insert({ windowKey: window.key, checkKey: muted.key });
    await knex("maintenanceOccurrences").insert({ windowKey: window.key, startsAt, endsAt });
    await minutes(1, [...checks, muted], CONNECT);
    expect(await test.instances(muted)).toMatchObject([{ mutedBy: "window" }]);
    const { id, heldBack } = await instanceOf(muted);
    expect(heldBack.incidentId).toBeNull();
    expect(await test.notifiedTo("paging")).toEqual([]);
    await test.call("POST", `/api/alerts/instances/${id}/unmute`, {}, test.team.bySession);
    await work();
    expect(await test.notifiedTo("paging")).toEqual(["incident.alert_attached"]);
    const [incident] = await ofLocation();
    expect((await instanceOf(muted)).heldBack.incidentId).toBe(incident.id);
  });
});

describe("while the worker lags", () => {
  it("a held alert whose check is deleted is announced to nobody, and in no incident", async () => {
    const checks = await watch(DOMAINS);
    await holdUnseen(checks);
    for (const { id } of checks)
      expect((await test.call("DELETE", `/api/checks/${id}`)).status).toBeLessThan(300);
    await test.process();
    expect(await test.incidents()).toEqual([]);
    expect(await test.notifiedTo("paging")).toEqual([]);
  });

  it("a held alert that is let go while it is muted stays silent", async () => {
    const checks = await watch(DOMAINS);
    await holdUnseen(checks);
    for (const check of checks) {
      const { id } = await instanceOf(check);
      await test.call("POST", `/api/alerts/instances/${id}/mute`, {}, test.team.bySession);
      const alert = { instanceId: id, teamId: test.team.teamId, checkKey: check.key };
      await liftHold(test.services.knex, alert, test.now());
    }
    await test.process();
    expect(await test.incidents()).toEqual([]);
    expect(await test.notifiedTo("paging")).toEqual([]);
  });

  it("held alerts wait where workers that don't know of holds don't look", async () => {
    await holdUnseen(await watch(DOMAINS));
    const ofTeam = { teamId: test.team.teamId };
    expect(await test.services.knex("incidentQueue").where(ofTeam)).toEqual([]);
    expect(await test.services.knex("locationHolds").where(ofTeam).whereNotNull("payload")).toHaveLength(3);
  });

  it("held alerts that have ended open no incident", async () => {
    const checks = await watch(DOMAINS);
    await holdUnseen(checks);
    test.clock.advance(30_000);
    await deliver(checks, HERE, OK);
    await work();
    expect(await test.incidents()).toEqual([]);
    expect(await test.notifiedTo("chat")).toEqual([]);
  });

  it("a held alert that can't be taken in by a fault is not announced alone, but when its hold ends, once", async () => {
    const checks = await watch(DOMAINS);
    await holdUnseen(checks);
    const { knex } = test.services;
    await knex.raw("ALTER TABLE location_outages ADD CONSTRAINT faulty CHECK (false) NOT VALID");
    try {
      const batch = { teamId: test.team.teamId, limit: 10, nowMs: test.now() };
      await processOneByOne(knex, pino({ enabled: false }), batch);
    } finally {
      await knex.raw("ALTER TABLE location_outages DROP CONSTRAINT faulty");
    }
    expect(await test.notifiedTo("paging")).toEqual([]);
    await minutes(8, checks, CONNECT);
    expect(await test.notifiedTo("alertsOnly")).toHaveLength(DOMAINS.length);
  });
});
