/** Outages of locations that flicker, of two locations at once, that can't be judged or ended, and of odd targets. */
import type { NewCheck } from "@svc/contract";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { AlertTestCheck, Delivered } from "../../../test-support/alerting.ts";
import {
  createIncidentTest,
  EAST,
  EUROPE,
  type IncidentTest,
  WEST,
} from "../../../test-support/incident-test.ts";
import { confirmOutages } from "../../alerting/holds/outage-store.ts";
import { reviewHolds } from "../../alerting/holds/review-holds.ts";
import { autoResolve } from "./auto-resolve.ts";
import { endLocationOutages } from "./end-location-outages.ts";

let test: IncidentTest;
beforeAll(async () => {
  test = await createIncidentTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());
afterEach(() => vi.restoreAllMocks());

const CONNECT = { status: "error", detail: { errorCategory: "connect", errorMessage: "refused" } } as const;
const OK = { status: "success" } as const;
const LOCATIONS = [EAST, WEST];

/** Stores a check of an address, with a rule of two failures in a row unless it is only to be watched. */
async function watch(url: string, { locations = LOCATIONS, hasRule = true, config = {} } = {}) {
  return watchCheck({ name: url, locations, httpConfig: { url, ...config } } as never, hasRule);
}
async function watchCheck(of: NewCheck, hasRule = true): Promise<AlertTestCheck> {
  const check = await test.newCheck({
    ...(of.type !== "heartbeat" && { frequencySeconds: 60 }),
    ...of,
  } as NewCheck);
  const conditions = [{ type: "consecutive_failures", count: 2 }];
  if (hasRule) await test.newRule(check, { conditions, channelIds: Object.values(test.channels) });
  return check;
}
const watchAll = (urls: readonly string[], options?: Parameters<typeof watch>[1]) =>
  Promise.all(urls.map((url) => watch(url, options)));

const deliver = (checks: readonly AlertTestCheck[], position: number, result: Partial<Delivered>) =>
  test.deliver(
    checks[0] as AlertTestCheck,
    checks.map(({ key, locationKeys }) => ({
      slotMs: test.now(),
      checkKey: key,
      locationKey: locationKeys[position] as number,
      ...result,
    })),
  );

const judge = () => endLocationOutages(test.services.knex, test.now());
const review = () => reviewHolds(test.services.knex, test.now());
async function work(): Promise<void> {
  await test.process();
  await judge();
  await review();
  await test.process();
  await autoResolve(test.services);
}

/** Lets a minute pass, with one result of each check at each location: the results by location. */
async function minute(checks: readonly AlertTestCheck[], ...results: Partial<Delivered>[]): Promise<void> {
  for (const [position, result] of results.entries()) {
    test.clock.advance(60_000 / results.length);
    await deliver(checks, position, result);
    await work();
  }
}
async function minutes(count: number, ...of: Parameters<typeof minute>): Promise<void> {
  for (let i = 0; i < count; i++) await minute(...of);
}

const DOMAINS = ["https://a.com/", "https://b.org/", "https://c.net/"];
const notified = () => test.notifiedTo("alertsOnly");

describe("an outage", () => {
  it("of two locations at once, of which one recovers, holds its alerts on, and its incident stays until the other recovers, too", async () => {
    const all = await watchAll(DOMAINS, { locations: [EAST, WEST, EUROPE] });
    await minute(all, OK, OK, OK);
    await minutes(3, all, CONNECT, CONNECT, OK);
    const [{ title, hypothesis }] = await test.incidents();
    expect(title).toMatch(/^Locations .+ and .+ can't reach their targets$/);
    expect(hypothesis.summary).toMatch(/^.+ and .+ can't reach their targets: /);
    await minutes(12, all, OK, CONNECT, OK);
    expect(await notified()).toEqual([]);
    expect((await test.incidents()).map(({ state }: { state: string }) => state)).toEqual(["open"]);
    await minutes(9, all, OK, OK, OK);
    expect(await notified()).toEqual([]);
    expect((await test.incidents())[0].state).toBe("resolved");
  });

  it("of one location names another one, too, once an alert of both is listed in its incident", async () => {
    const all = await watchAll([...DOMAINS, "https://d.io/"], { locations: [EAST, WEST, EUROPE] });
    const late = await watch("https://late.dev/", { locations: [EAST, WEST, EUROPE] });
    await minute([...all, late], OK, OK, OK);
    const round = async (here: Partial<Delivered>, there: Partial<Delivered>, ofLate: Partial<Delivered>) => {
      await deliver([late], 2, OK);
      await deliver([late], 0, ofLate);
      await deliver([late], 1, ofLate);
      await minute(all, here, there, OK);
    };
    for (let i = 0; i < 3; i++) await round(CONNECT, OK, OK);
    const before = await test.incidents();
    expect(before.map(({ title }: { title: string }) => title)).toEqual([
      expect.stringMatching(/^Location [^,]+ can't reach its targets$/),
    ]);
    for (let i = 0; i < 3; i++) await round(CONNECT, CONNECT, OK);
    for (let i = 0; i < 3; i++) await round(CONNECT, CONNECT, CONNECT);
    const after = await test.incidents();
    const { title, hypothesis } = after.find(({ id }: { id: string }) => id === before[0].id);
    const name = before[0].title.slice("Location ".length, -" can't reach its targets".length);
    expect(title.startsWith(`Locations ${name} and `)).toBe(true);
    expect(hypothesis.summary.startsWith(`${name} and `)).toBe(true);
  });

  it("that a further location contradicts frees its alerts by the review of that reason alone", async () => {
    const all = await watchAll(DOMAINS, { locations: [EAST, WEST, EUROPE] });
    await minute(all, OK, OK, OK);
    await minutes(3, all, CONNECT, OK, OK);
    const { knex } = test.services;
    const teamId = test.team.teamId;
    const held = async () => (await knex("heldAlerts").where({ teamId, hasEnded: false })).length;
    expect(await held()).toBe(3);
    await deliver(all, 1, { status: "failure", detail: { errorCategory: "assertion" } });
    await reviewHolds(knex, test.now(), { reasons: ["dependency"] });
    expect(await held()).toBe(3);
    await reviewHolds(knex, test.now(), { reasons: ["location"] });
    expect([await held(), await notified()]).toEqual([0, ["triggered", "triggered", "triggered"]]);
  });

  it.each([1, 3])(
    "that seems over for %i minutes holds its alerts on, and its incident stays",
    async (count) => {
      const all = await watchAll(DOMAINS);
      const reached = await watchAll(["https://e.dev/", "https://f.eu/"], { hasRule: false });
      const flickering = await watch("https://g.io/", { hasRule: false });
      const round = async (here: Partial<Delivered>) => {
        await deliver(reached, 0, OK);
        await deliver([flickering], 0, here);
        await work();
        await minute(all, CONNECT, OK);
        await deliver([...reached, flickering], 1, OK);
      };
      await minute([...all, ...reached, flickering], OK, OK);
      for (let i = 0; i < 4; i++) await round(CONNECT);
      expect(await test.notifiedTo("chat")).toEqual(["incident.opened"]);
      for (let i = 0; i < count; i++) await round(OK);
      for (let i = 0; i < 8; i++) await round(CONNECT);
      // Three minutes are longer than 15 s, a period and 30 s: by then each check had its chance.
      expect(await notified()).toEqual(count === 1 ? [] : ["triggered", "triggered", "triggered"]);
      if (count === 1) expect(await test.notifiedTo("chat")).toEqual(["incident.opened"]);
    },
  );

  it("that is judged over holds its alerts on for some seconds, and no longer", async () => {
    const all = await watchAll(DOMAINS);
    const others = await watchAll(["https://e.dev/", "https://f.eu/", "https://g.io/"], { hasRule: false });
    await minute([...all, ...others], OK, OK);
    await minutes(3, [...all, ...others], CONNECT, OK);
    await judge();
    const freed = async () =>
      (await test.services.knex("heldAlerts").where({ teamId: test.team.teamId })).every(
        ({ freeSince }: { freeSince: Date | null }) => freeSince !== null,
      );
    await deliver(others, 0, { status: "failure", detail: { errorCategory: "assertion" } });
    for (let second = 0; second < 15; second += 5) {
      test.clock.advance(5_000);
      await judge();
      await review();
      expect(await freed()).toBe(false);
    }
    test.clock.advance(6_000);
    await judge();
    await review();
    expect(await freed()).toBe(true);
  });

  it("holds nothing any more when nothing has judged it for an hour, and nothing is known of the location", async () => {
    const all = await watchAll(DOMAINS);
    await minute(all, OK, OK);
    await minutes(3, all, CONNECT, OK);
    test.clock.advance(56 * 60_000);
    await deliver(all, 1, OK);
    await review();
    expect(await notified()).toEqual([]);
    for (let i = 0; i < 9; i++) {
      test.clock.advance(60_000);
      await deliver(all, 1, OK);
      await review();
    }
    expect(await notified()).toHaveLength(3);
  });
});

describe("an outage that can't be judged or ended", () => {
  /** Makes two teams with an outage each, which is over a minute later. @returns the teams' ids */
  async function twoOutages(): Promise<string[]> {
    const teams: string[] = [];
    for (let i = 0; i < 2; i++) {
      if (i > 0) await test.beginAnew();
      const all = await watchAll(DOMAINS);
      await minute(all, OK, OK);
      await minutes(3, all, CONNECT, OK);
      await deliver(all, 0, OK);
      await deliver(all, 1, OK);
      teams.push(test.team.teamId);
    }
    // The work for the second team has ended the outage of the first.
    await test.services
      .knex("locationOutages")
      .whereIn("teamId", teams)
      .update({ endedAt: null, reachedSince: new Date(test.now()) });
    test.clock.advance(60_000);
    return teams;
  }
  const ended = async (teamId: string | undefined) =>
    (await test.services.knex("locationOutages").where({ teamId }).first()).endedAt !== null;
  const timedOut = () => Object.assign(new Error("canceling statement due to timeout"), { code: "57014" });

  it.each([1, 100])(
    "because the judgement takes too long keeps no other from its end, %i at once",
    async (atOnce) => {
      const [stuck, other] = await twoOutages();
      const { knex } = test.services;
      const raw = knex.raw.bind(knex);
      vi.spyOn(knex, "raw").mockImplementation(((sql: string, bindings: { teamIds?: unknown[] }) =>
        sql.includes("AS asked") && bindings.teamIds?.includes(stuck)
          ? Promise.reject(timedOut())
          : raw(sql, bindings as never)) as never);
      await expect(endLocationOutages(knex, test.now(), atOnce)).rejects.toThrow("judgements of outages");
      expect([await ended(stuck), await ended(other)]).toEqual([false, true]);
      vi.restoreAllMocks();
      await judge();
      expect(await ended(stuck)).toBe(true);
    },
  );

  it("that somebody else holds keeps no other from being confirmed, and is confirmed later", async () => {
    await twoOutages();
    const { knex } = test.services;
    const [held, free] = await knex("locationOutages").orderBy("key", "desc").limit(2).pluck("key");
    await knex("locationOutages").update({ judgedAt: new Date(0) });
    const outages = [held, free].map((key) => ({ key, networks: ["a.io"] }));
    const judgedMs = async (key: number) =>
      Date.parse((await knex("locationOutages").where({ key }).first("judgedAt")).judgedAt);
    const other = await knex.transaction();
    await other.raw("SELECT FROM location_outages WHERE key = ? FOR UPDATE", [held]);
    await confirmOutages(knex, outages, test.now());
    await other.commit();
    expect([await judgedMs(held), await judgedMs(free)]).toEqual([0, test.now()]);
    await confirmOutages(knex, outages, test.now());
    expect(await judgedMs(held)).toBe(test.now());
  });

  it.each(["57014", "55P03"])("because of error %s keeps no other from its end", async (code) => {
    const [stuck, other] = await twoOutages();
    const { knex } = test.services;
    await knex.raw(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused' USING ERRCODE = '${code}'; END $$;
      CREATE TRIGGER refuse BEFORE UPDATE ON location_outages FOR EACH ROW WHEN (OLD.team_id = '${stuck}') EXECUTE FUNCTION refuse()`);
    await expect(judge()).rejects.toThrow("judgements of outages");
    await knex.raw("DROP TRIGGER refuse ON location_outages; DROP FUNCTION refuse()");
    expect([await ended(stuck), await ended(other)]).toEqual([false, true]);
  });
});

describe("evidence", () => {
  const dns = (domain: string, resolver?: string) => ({
    name: domain,
    type: "dns",
    locations: LOCATIONS,
    dnsConfig: { domain, ...(resolver !== undefined && { resolver }) },
  });
  const http = (url: string, proxyUrl: string) => ({
    name: url,
    type: "http",
    locations: LOCATIONS,
    httpConfig: { url, proxyUrl },
  });
  const steps = (url: string) => ({
    name: url,
    type: "multistep",
    locations: LOCATIONS,
    multistepConfig: { steps: [{ name: "first", url }] },
  });
  it.each<[string, object[], number]>([
    ["three domains asked of one resolver", ["a.com", "b.org", "c.net"].map((it) => dns(it, "9.9.9.9")), 3],
    ["three domains asked of the runner's resolver", ["a.com", "b.org", "c.net"].map((it) => dns(it)), 3],
    [
      "three domains asked of three resolvers",
      ["9.9.9.9", "1.1.1.1:53", "ns.example.org"].map((it, i) => dns(`a${i}.com`, it)),
      0,
    ],
    ["three domains through one proxy", DOMAINS.map((it) => http(it, "http://proxy.example:3128")), 3],
    ["three domains through three proxies", DOMAINS.map((it, i) => http(it, `http://192.0.${i}.1:3128`)), 0],
    ["checks without a target", DOMAINS.map(steps), 3],
  ])("of %s: %#", async (_, checks, count) => {
    const all = await Promise.all(checks.map((of) => watchCheck(of as never)));
    await minute(all, OK, OK);
    await minutes(4, all, CONNECT, OK);
    expect(await notified()).toHaveLength(count);
  });

  it.each([
    ["hosts of one domain", (i: number) => `https://h${i}.big.com/`],
    ["pages of one host", (i: number) => `https://big.com/${i}`],
  ])("of more checks than are looked at is spread over the domains: %s come first", async (_, urlOf) => {
    for (let i = 0; i < 201; i++) await watch(urlOf(i), { hasRule: false });
    const all = await watchAll(DOMAINS);
    await minute(all, OK, OK);
    await minutes(4, all, CONNECT, OK);
    expect(await notified()).toEqual([]);
  });

  it("of checks without a target, and of heartbeats, counts neither way", async () => {
    const all = await watchAll(DOMAINS);
    const others = await Promise.all(
      ["https://d.io/", "https://e.dev/", "https://f.eu/", "https://g.io/"].map((url) =>
        watchCheck(steps(url) as never, false),
      ),
    );
    const heartbeats = await Promise.all(
      [1, 2, 3, 4].map((i) =>
        watchCheck(
          { type: "heartbeat", name: `job ${i}`, heartbeatConfig: { periodSeconds: 3_600 } } as never,
          false,
        ),
      ),
    );
    const locationKeys = await test.services.knex("locations").where({ id: "loc_push" }).pluck("key");
    const beat = () =>
      deliver(
        heartbeats.map((one) => ({ ...one, locationKeys })),
        0,
        OK,
      );
    await minute([...all, ...others], OK, OK);
    await beat();
    for (let i = 0; i < 4; i++) {
      await deliver(others, 0, OK);
      await minute(all, CONNECT, OK);
      await deliver(others, 1, OK);
      await beat();
    }
    expect(await notified()).toEqual([]);
    expect(await test.notifiedTo("chat")).toEqual(["incident.opened"]);
  });
});
