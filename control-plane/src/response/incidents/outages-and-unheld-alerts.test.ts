/** The incident of a location beside alerts that were too early to be held back, and beside its own reopening. */
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AlertTestCheck, Delivered } from "../../../test-support/alerting.ts";
import { createIncidentTest, EAST, type IncidentTest, WEST } from "../../../test-support/incident-test.ts";
import { liftHold } from "../../alerting/holds/lift-hold.ts";
import { reviewHolds } from "../../alerting/holds/review-holds.ts";
import { autoResolve } from "./auto-resolve.ts";
import { endLocationOutages } from "./end-location-outages.ts";
import { notifyAddedChannels } from "./notify-added-channels.ts";
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

async function watch(urls: readonly string[], { count = 2, channels = Object.values(test.channels) } = {}) {
  const checks: AlertTestCheck[] = [];
  for (const url of urls) {
    const check = await test.newCheck({ name: url, locations: [EAST, WEST], httpConfig: { url } });
    const conditions = [{ type: "consecutive_failures", count }];
    await test.newRule(check, { conditions, channelIds: channels });
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
async function minutes(
  count: number,
  checks: readonly AlertTestCheck[],
  here: Partial<Delivered>,
  doWork = work,
) {
  for (let i = 0; i < count; i++) {
    test.clock.advance(30_000);
    await deliver(checks, HERE, here);
    await doWork();
    test.clock.advance(30_000);
    await deliver(checks, THERE, OK);
    await doWork();
  }
}

const idle = () => Promise.resolve();
const instanceOf = async (check: AlertTestCheck) =>
  (await test.call("GET", `/api/alerts/instances?checkId=${check.id}`)).body.instances[0];
const ofLocation = async () =>
  (await test.incidents()).filter(({ title }: { title: string }) => title.startsWith("Location "));

describe("alerts that were not held back, and wait for a worker that lags", () => {
  async function fallBehind(checks: readonly AlertTestCheck[]): Promise<void> {
    await minutes(1, checks, OK);
    await minutes(2, checks, CONNECT, idle);
  }

  async function processSingly(): Promise<void> {
    const batch = { teamId: test.team.teamId, limit: 100, nowMs: test.now() };
    await processOneByOne(test.services.knex, pino({ enabled: false }), batch);
  }

  it("are members of the location's incident when they are taken in together with the first that is held", async () => {
    const early = await watch(["https://early.com/", "https://early.org/"], { count: 1 });
    const late = await watch(DOMAINS);
    await fallBehind([...early, ...late]);
    await work();
    const all = await test.incidents();
    const [incident, ...others] = await ofLocation();
    expect(others).toEqual([]);
    expect(incident).toMatchObject({ state: "open", memberCount: 2, openMemberCount: 2 });
    for (const one of all)
      if (one.id !== incident.id) expect(one).toMatchObject({ state: "closed", mergedInto: incident.id });
    expect((await test.notifiedTo("paging")).at(-1)).toBe("incident.opened");
  });

  it("are members when it was opened a batch before, and nobody hears of it twice but their channels", async () => {
    const { chat, paging } = test.channels;
    const early = await watch(["https://early.com/"], { count: 1, channels: [paging] });
    const late = await watch(DOMAINS, { channels: [chat] });
    await fallBehind([...early, ...late]);
    await processSingly();
    const [incident] = await ofLocation();
    expect(incident).toMatchObject({ state: "open", memberCount: 1, openMemberCount: 1 });
    const { id } = await instanceOf(early[0] as AlertTestCheck);
    const { events } = await test.detail(incident.id);
    expect(events.at(-1)).toMatchObject({
      eventType: "alert_attached",
      payload: { memberAlertInstanceIds: [id], attachedAlertInstanceIds: [id], memberCount: 1 },
    });
    const opened = ["incident.opened", "incident.closed", "incident.alert_attached"];
    expect(await test.notifiedTo("paging")).toEqual(opened);
    expect(await test.notifiedTo("chat")).toEqual(["incident.opened"]);
    await minutes(8, [...early, ...late], OK);
    expect((await test.notifiedTo("paging")).slice(opened.length)).toEqual([
      "incident.members_recovered",
      "incident.auto_resolved",
    ]);
    expect((await ofLocation())[0].state).toBe("resolved");
  });

  it("stay in incidents of their own when they were held back and let go", async () => {
    const checks = await watch(DOMAINS);
    await minutes(1, checks, OK);
    await minutes(2, checks, CONNECT);
    const [first] = checks as [AlertTestCheck];
    const { id } = await instanceOf(first);
    await liftHold(
      test.services.knex,
      { instanceId: id, teamId: test.team.teamId, checkKey: first.key },
      test.now(),
    );
    await work();
    const states = (await test.incidents()).map(({ state }: { state: string }) => state);
    expect(states).toEqual(["open", "open"]);
    expect(await ofLocation()).toMatchObject([{ memberCount: 0 }]);
  });

  it("stay in incidents of their own when they begin while the outage is known", async () => {
    const checks = await watch(DOMAINS);
    const [later] = (await watch(["https://later.dev/"], { count: 1 })) as [AlertTestCheck];
    await minutes(1, [...checks, later], OK);
    await minutes(3, checks, CONNECT);
    await test.services.knex("locations").where({ id: EAST }).update({ isGuarded: false });
    await deliver([later], HERE, CONNECT);
    await test.process();
    await test.services.knex("locations").where({ id: EAST }).update({ isGuarded: true });
    const all = await test.incidents();
    expect(all.map(({ state }: { state: string }) => state)).toEqual(["open", "open"]);
    expect(await ofLocation()).toMatchObject([{ memberCount: 0 }]);
  });
});

describe("reopening the incident of a location", () => {
  async function twoIncidents() {
    const checks = await watch(DOMAINS);
    const later = await watch(["https://later.dev/"], { count: 4 });
    const all = [...checks, ...later];
    await minutes(1, all, OK);
    await minutes(3, all, CONNECT);
    const [first] = await ofLocation();
    await test.act(first.id, "close");
    await minutes(2, all, CONNECT);
    const [second] = await ofLocation();
    expect(second.id).not.toBe(first.id);
    return { all, first: first.id as string, second: second.id as string };
  }

  it("is refused while the location is cut off and has another, which the error names", async () => {
    const { all, first, second } = await twoIncidents();
    const refused = await test.act(first, "reopen");
    expect(refused.status).toBe(409);
    expect(refused.body.error).toBe(
      `Location US East (Virginia) can't reach its targets, and its incident is ${second} now`,
    );
    await test.act(second, "close");
    const again = await test.act(first, "reopen");
    expect([again.status, again.body.error]).toEqual([
      409,
      `Location US East (Virginia) can't reach its targets, and its incident is ${second} now; reopen that one`,
    ]);
    expect((await test.detail(first)).incident.state).toBe("closed");
    expect((await test.act(second, "reopen")).body).toEqual({ success: true, state: "open" });
    await minutes(7, all, CONNECT);
    expect((await ofLocation()).map(({ state }: { state: string }) => state)).toEqual(["open", "closed"]);
  });

  it("is allowed to the one whose outage lasts, and to any once the location reaches its targets", async () => {
    const { all, first, second } = await twoIncidents();
    await minutes(8, all, OK);
    expect((await test.detail(second)).incident.state).toBe("resolved");
    expect((await test.act(first, "reopen")).status).toBe(200);
  });

  it("is another team's matter when another team's location is cut off", async () => {
    const before = { team: test.team, channels: test.channels };
    const checks = await watch(DOMAINS);
    await minutes(1, checks, OK);
    await minutes(3, checks, CONNECT);
    const [ofOne] = await ofLocation();
    await minutes(10, checks, OK);
    expect((await test.detail(ofOne.id)).incident.state).toBe("resolved");
    await test.beginAnew();
    const ofOther = await watch(DOMAINS);
    await minutes(1, ofOther, OK);
    await minutes(3, ofOther, CONNECT);
    expect(await ofLocation()).toMatchObject([{ state: "open" }]);
    Object.assign(test, before);
    expect((await test.act(ofOne.id, "reopen")).status).toBe(200);
  });
});

describe("an incident of a location that follows one that was closed during the outage", () => {
  it("lists the alerts that are still held back, and is notified to their channels, too", async () => {
    const { chat, paging } = test.channels;
    const checks = await watch(DOMAINS, { channels: [paging] });
    const ending = await watch(["https://ending.com/"], { channels: [paging] });
    const later = await watch(["https://later.dev/"], { count: 4, channels: [chat] });
    const all = [...checks, ...ending, ...later];
    await minutes(1, all, OK);
    await minutes(3, all, CONNECT);
    const [first] = await ofLocation();
    const { id: ended } = await instanceOf(ending[0] as AlertTestCheck);
    await test.call("POST", `/api/alerts/instances/${ended}/resolve`, {}, test.team.bySession);
    await test.act(first.id, "close");
    await minutes(2, [...checks, ...later], CONNECT);
    const [second] = await ofLocation();
    expect(second.id).not.toBe(first.id);
    const listed = async (id: string) =>
      (await test.detail(id)).alerts.map(({ checkId }: { checkId: string }) => checkId).sort();
    expect(await listed(second.id)).toEqual([...checks, ...later].map(({ id }) => id).sort());
    expect(await listed(first.id)).toEqual([ending[0]?.id]);
    expect((await instanceOf(checks[0] as AlertTestCheck)).heldBack.incidentId).toBe(second.id);
    const sent = ["incident.opened", "incident.closed", "incident.opened"];
    expect(await test.notifiedTo("paging")).toEqual(sent);
    await minutes(8, all, OK);
    expect((await test.notifiedTo("paging")).slice(sent.length)).toEqual([
      "incident.members_recovered",
      "incident.auto_resolved",
    ]);
  });
});

describe("a channel that is added to the rule of a held alert", () => {
  const look = () => notifyAddedChannels(test.services.knex, test.now());
  async function cutOff() {
    const { chat } = test.channels;
    const [check, ...others] = await watch(DOMAINS, { channels: [chat] });
    const all = [check, ...others] as AlertTestCheck[];
    await minutes(1, all, OK);
    await minutes(3, all, CONNECT);
    const ruleOf = (one = check) => test.services.knex("alertRules").where({ checkKey: one?.key });
    return { all, ruleOf };
  }

  it("is notified of the location's incident once, and of its end, and nobody else is", async () => {
    const { chat, paging } = test.channels;
    const { all, ruleOf } = await cutOff();
    const { ruleId } = await instanceOf(all[0] as AlertTestCheck);
    await test.call("PUT", `/api/alerts/${ruleId}`, { channelIds: [chat, paging] });
    expect((await ruleOf().first()).channelIds).toEqual([chat, paging]);
    await Promise.all([look(), look()]);
    await look();
    expect(await test.notifiedTo("paging")).toEqual(["incident.opened"]);
    expect(await test.notifiedTo("chat")).toEqual(["incident.opened"]);
    expect(await test.notifiedTo("webhook")).toEqual(["incident.opened"]);
    const [incident] = await ofLocation();
    expect(await test.eventTypes(incident.id)).toEqual(["opened"]);
    await minutes(8, all, OK);
    const end = ["incident.opened", "incident.members_recovered", "incident.auto_resolved"];
    expect(await test.notifiedTo("paging")).toEqual(end);
  });

  it.each([
    ["is muted", "mute"],
    ["has ended", "resolve"],
  ])("is not notified when the alert %s", async (_, action) => {
    const { all, ruleOf } = await cutOff();
    const { id } = await instanceOf(all[0] as AlertTestCheck);
    await test.call("POST", `/api/alerts/instances/${id}/${action}`, {}, test.team.bySession);
    await ruleOf().update({ channelIds: [test.channels.paging] });
    await look();
    expect(await test.notifiedTo("paging")).toEqual([]);
  });

  it("is not notified when somebody has closed the incident", async () => {
    const { ruleOf } = await cutOff();
    const [incident] = await ofLocation();
    await test.act(incident.id, "close");
    await ruleOf().update({ channelIds: [test.channels.paging] });
    await look();
    expect(await test.notifiedTo("paging")).toEqual([]);
  });
});
