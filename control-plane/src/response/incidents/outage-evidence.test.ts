/** Evidence by which outages of locations and the holds of alerts last or end: results that stay away are none. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { AlertTestCheck, Delivered } from "../../../test-support/alerting.ts";
import { createIncidentTest, EAST, type IncidentTest, WEST } from "../../../test-support/incident-test.ts";
import { reviewHolds } from "../../alerting/holds/review-holds.ts";
import { endMutes } from "../../alerting/instances/end-mutes.ts";
import { postgresMuteStore } from "../../alerting/instances/mute-store.ts";
import { registerLocationRoutes } from "../../checks/locations/routes.ts";
import { autoResolve } from "./auto-resolve.ts";
import { endLocationOutages } from "./end-location-outages.ts";

let test: IncidentTest;
beforeAll(async () => {
  test = await createIncidentTest({
    register: (app, services) => registerLocationRoutes(app, services, async () => undefined),
  });
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());
afterEach(() => vi.restoreAllMocks());

const HERE = 0;
const THERE = 1;
const DOMAINS = ["https://a.com/", "https://b.org/", "https://c.net/"];
const CONNECT = { status: "error", detail: { errorCategory: "connect" } } as const;
const OK = { status: "success" } as const;
const HTTP_500 = { status: "failure", detail: { errorCategory: "assertion" } } as const;
type Result = Partial<Delivered> | null;

interface WatchOptions {
  locations?: string[];
  frequencySeconds?: number;
  successes?: number;
  retry?: object;
  dependsOn?: string[];
}

async function watch(urls: readonly string[], options: WatchOptions = {}): Promise<AlertTestCheck[]> {
  const { locations = [EAST, WEST], frequencySeconds = 60, successes = 1, retry, dependsOn } = options;
  const checks: AlertTestCheck[] = [];
  for (const url of urls) {
    const more = { ...(retry && { retry }), ...(dependsOn && { dependsOn }) };
    const check = await test.newCheck({
      name: url,
      locations,
      httpConfig: { url },
      frequencySeconds,
      ...more,
    } as object);
    await test.newRule(check, {
      conditions: [{ type: "consecutive_failures", count: 2 }],
      channelIds: Object.values(test.channels),
      recovery: { consecutiveSuccesses: successes },
    });
    checks.push(check);
  }
  return checks;
}

async function deliver(checks: readonly AlertTestCheck[], position: number, result: Result, lateMs = 0) {
  const [first] = checks;
  if (result === null || first === undefined) return;
  const results = checks.map(({ key, locationKeys }) => ({
    slotMs: test.now() - lateMs,
    checkKey: key,
    locationKey: locationKeys[position] as number,
    ...result,
  }));
  await test.deliver(first, results);
}

const review = () => reviewHolds(test.services.knex, test.now());
const judge = () => endLocationOutages(test.services.knex, test.now());
async function work(): Promise<void> {
  await test.process();
  await judge();
  await review();
  await test.process();
  await autoResolve(test.services);
}
/** Lets time pass, with the work of each ten seconds. */
async function pass(seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i += 10) {
    test.clock.advance(10_000);
    await work();
  }
}
/** Lets minutes pass in which each check runs once here and once there; null: nothing arrives. */
async function minutes(
  count: number,
  checks: readonly AlertTestCheck[],
  here: Result,
  there: Result = OK,
): Promise<void> {
  for (let i = 0; i < count; i++) {
    await pass(30);
    await deliver(checks, HERE, here);
    await work();
    await pass(30);
    await deliver(checks, THERE, there);
    await work();
  }
}

/** Begins a maintenance window of the check. */
async function maintain({ key }: AlertTestCheck, forMs: number): Promise<void> {
  const { knex } = test.services;
  const [startsAt, endsAt] = [new Date(test.now() - 1_000), new Date(test.now() + forMs)];
  const [window] = await knex("maintenanceWindows")
    .insert({
      id: `mw_${key}`,
      teamId: test.team.teamId,
      name: "upgrade",
      mode: "continue",
      isForAllChecks: false,
      timezone: "UTC",
      expandedUntil: endsAt,
      startsAt,
      endsAt,
    })
    .returning("key");
  await knex("maintenanceWindowChecks").insert({ windowKey: window.key, checkKey: key });
  await knex("maintenanceOccurrences").insert({ windowKey: window.key, startsAt, endsAt });
}

const notified = () => test.notifiedTo("alertsOnly");
const paged = () => test.notifiedTo("paging");
const alertOf = async ({ id }: AlertTestCheck) =>
  (await test.call("GET", `/api/alerts/instances?checkId=${id}`)).body.instances[0];
const states = async () => (await test.incidents()).map(({ state }: { state: string }) => state);

describe("an outage goes on, and holds its alerts, while nothing shows that its location is back:", () => {
  it("the location falls silent; after an hour its alerts are notified, and nobody is notified of a recovery", async () => {
    const all = await watch(DOMAINS);
    await minutes(1, all, OK);
    await minutes(4, all, CONNECT);
    const silentMinutes = async (count: number) => {
      for (let i = 0; i < count; i++) {
        test.clock.advance(60_000);
        await deliver(all, THERE, OK);
        await work();
      }
    };
    await silentMinutes(60);
    expect([await notified(), await states()]).toEqual([[], ["open"]]);
    expect(await paged()).toEqual(["incident.opened"]);
    await silentMinutes(15);
    expect(await notified()).toEqual(["triggered", "triggered", "triggered"]);
    expect(await paged()).not.toContain("incident.members_recovered");
  });

  it("each run takes longer than its result used to count", async () => {
    const retry = { strategy: "fixed", maxRetries: 2, baseBackoffSeconds: 2, maxDurationSeconds: 65 };
    const all = await watch(DOMAINS, { frequencySeconds: 10, retry });
    await minutes(1, all, OK);
    for (let i = 0; i < 8; i++) {
      for (let j = 0; j < 10; j++) {
        await pass(10);
        await deliver(all, THERE, OK);
      }
      await deliver(all, HERE, { status: "timeout", detail: { errorCategory: "timeout" } }, 95_000);
      await work();
    }
    expect([await notified(), await states()]).toEqual([[], ["open"]]);
  });

  it("one of its three networks is watched so rarely that its failure counts no longer", async () => {
    const [rare] = await watch(["https://rare.io/"], { frequencySeconds: 1_800 });
    const often = await watch(DOMAINS.slice(0, 2));
    const all = [...often, rare as AlertTestCheck];
    await minutes(1, all, OK);
    await minutes(3, all, CONNECT);
    await minutes(25, often, CONNECT);
    // The rare one alone, which nobody else has seen for so long.
    expect(await notified()).toEqual(["triggered"]);
    for (const check of often) expect(await alertOf(check)).toHaveProperty("heldBack");
  });

  it("somebody switches checks off, so that two networks are left; they are not notified, and the others neither", async () => {
    const all = await watch([...DOMAINS, "https://d.io/"]);
    await minutes(1, all, OK);
    await minutes(4, all, CONNECT);
    for (const { id } of all.slice(0, 2)) await test.call("PUT", `/api/checks/${id}`, { enabled: false });
    await minutes(15, all.slice(2), CONNECT);
    expect([await notified(), await states()]).toEqual([[], ["open"]]);
    // The checks that were switched off keep their location's incident from nothing.
    await minutes(8, all.slice(2), OK);
    expect([await notified(), await states()]).toEqual([[], ["resolved"]]);
    expect((await alertOf(all[0] as AlertTestCheck)).heldBack.reason).toBe("location");
  });
});

describe("once its location is back, a held alert", () => {
  it("is never notified while its check succeeds, however many successes its rule asks for", async () => {
    const all = await watch(DOMAINS, { successes: 4 });
    await minutes(5, all, OK);
    await minutes(4, all, CONNECT);
    await minutes(12, all, OK);
    expect(await notified()).toEqual([]);
    expect((await alertOf(all[0] as AlertTestCheck)).state).toBe("recovered");
    expect(await states()).toEqual(["resolved"]);
  });

  it("waits for its check's next run, and is notified when that fails", async () => {
    const often = await watch(DOMAINS);
    const rare = await watch(["https://rare.io/", "https://sparse.dev/"], { frequencySeconds: 900 });
    await minutes(1, [...often, ...rare], OK);
    await minutes(2, [...often, ...rare], CONNECT);
    await minutes(9, often, OK);
    await deliver(rare, THERE, OK);
    await minutes(3, often, OK);
    expect(await notified()).toEqual([]);
    await deliver(rare.slice(0, 1), HERE, CONNECT);
    await deliver(rare.slice(1), HERE, OK);
    await pass(20);
    expect(await notified()).toEqual(["triggered"]);
  });

  it("is released at the latest when its check has not run for two periods and two minutes", async () => {
    const [silent, ...others] = await watch([...DOMAINS, "https://d.io/", "https://e.dev/"]);
    const all = [silent as AlertTestCheck, ...others];
    await minutes(1, all, OK);
    await minutes(3, all, CONNECT);
    await minutes(3, others, OK);
    expect(await notified()).toEqual([]);
    await minutes(3, others, OK);
    expect(await notified()).toEqual(["triggered"]);
  });

  it("of a check that depends on a failing one goes on being held, because of that one", async () => {
    const [parent] = await watch(["https://db.io/"], { locations: [WEST] });
    const all = await watch(DOMAINS);
    const [child] = await watch(["https://shop.dev/"], { dependsOn: [(parent as AlertTestCheck).id] });
    const both = [...all, child as AlertTestCheck];
    await minutes(1, both, OK);
    await minutes(3, both, CONNECT);
    for (let i = 0; i < 5; i++) {
      await deliver([parent as AlertTestCheck], HERE, HTTP_500);
      await deliver([child as AlertTestCheck], HERE, HTTP_500);
      await minutes(1, all, OK);
    }
    expect(await notified()).toEqual(["triggered"]);
    expect((await alertOf(child as AlertTestCheck)).heldBack).toMatchObject({
      reason: "dependency",
      checkId: parent?.id,
    });
  });
});

describe("results that arrive all at once are judged each at its own instant:", () => {
  it.each([
    ["before", (i: number) => i < 4, (i: number) => i >= 6, ["triggered", "recovered"]],
    ["after", (i: number) => i >= 8, (i: number) => i < 4, ["triggered"]],
  ])("a failure of a target itself %s the outage is notified", async (_, failsItself, isOut, expected) => {
    const all = await watch([...DOMAINS, "https://d.io/"]);
    const [own] = await watch(["https://own.io/"]);
    const every = [...all, own as AlertTestCheck];
    await minutes(1, every, OK);
    const startMs = test.now();
    for (let i = 0; i < 10; i++) {
      test.clock.advance(60_000);
      await deliver(every, THERE, OK);
    }
    const results = every.flatMap(({ key, locationKeys }) =>
      Array.from({ length: 10 }, (_, i) => ({
        slotMs: startMs + (i + 1) * 60_000 - 30_000,
        checkKey: key,
        locationKey: locationKeys[HERE] as number,
        ...((key === own?.key ? failsItself(i) : isOut(i)) ? CONNECT : OK),
      })),
    );
    await test.deliver(
      every[0] as AlertTestCheck,
      results.sort((a, b) => a.slotMs - b.slotMs),
    );
    await work();
    expect(await notified()).toEqual(expected);
  });
});

describe("while the outage lasts, an alert", () => {
  it("whose target answers wrongly there is notified", async () => {
    const [answering, ...others] = await watch([...DOMAINS, "https://d.io/"]);
    await minutes(1, [answering as AlertTestCheck, ...others], OK);
    await minutes(4, [answering as AlertTestCheck, ...others], CONNECT);
    for (let i = 0; i < 3; i++) {
      await deliver([answering as AlertTestCheck], HERE, HTTP_500);
      await minutes(1, others, CONNECT);
      await deliver([answering as AlertTestCheck], THERE, OK);
    }
    expect(await notified()).toEqual(["triggered"]);
    expect(await states()).toContain("open");
    expect(await alertOf(others[0] as AlertTestCheck)).toHaveProperty("heldBack");
  });

  it("is held by a read that fails as by one that does not", async () => {
    const all = await watch(DOMAINS);
    await minutes(1, all, OK);
    await minutes(7, all, CONNECT);
    const { knex } = test.services;
    const raw = knex.raw.bind(knex);
    vi.spyOn(knex, "raw").mockImplementation(((sql: string, bindings: never) =>
      sql.includes("p (check_key, location_key, row_limit, from_ms)")
        ? Promise.reject(Object.assign(new Error("canceling statement"), { code: "57014" }))
        : raw(sql, bindings)) as never);
    await expect(review()).rejects.toThrow("reviews of held alerts failed");
    vi.restoreAllMocks();
    await work();
    expect([await notified(), await states()]).toEqual([[], ["open"]]);
  });

  it("whose mute ends joins the incident of its location, although the review goes first", async () => {
    const all = await watch(DOMAINS);
    const [muted] = await watch(["https://muted.io/"]);
    const every = [...all, muted as AlertTestCheck];
    await minutes(1, every, OK);
    const { knex } = test.services;
    await maintain(muted as AlertTestCheck, 480_000);
    await minutes(2, every, CONNECT);
    await minutes(6, every, CONNECT);
    expect((await alertOf(muted as AlertTestCheck)).heldBack.incidentId).toBeNull();
    expect((await alertOf(muted as AlertTestCheck)).muted).toBe(true);
    test.clock.advance(5_000);
    await endMutes(postgresMuteStore(knex), test.now());
    await review();
    await work();
    const [incident] = await test.incidents();
    expect((await alertOf(muted as AlertTestCheck)).heldBack.incidentId).toBe(incident.id);
    expect(await notified()).toEqual([]);
  });

  it("of a check that nobody else sees is not notified once it is switched off", async () => {
    const all = await watch(DOMAINS);
    const [alone] = await watch(["https://alone.io/"], { locations: [EAST] });
    await minutes(1, all, OK);
    for (let i = 0; i < 4; i++) {
      await deliver([alone as AlertTestCheck], HERE, CONNECT);
      await minutes(1, all, CONNECT);
    }
    expect((await alertOf(alone as AlertTestCheck)).heldBack.reason).toBe("location");
    await test.call("PUT", `/api/checks/${alone?.id}`, { enabled: false });
    await minutes(12, all, CONNECT);
    expect(await notified()).toEqual([]);
  });
});

it("a location that has come back holds nothing that begins then", async () => {
  const [genuine, ...others] = await watch([...DOMAINS, "https://d.io/", "https://e.dev/"]);
  const all = [genuine as AlertTestCheck, ...others];
  await minutes(1, all, OK);
  await minutes(4, all, CONNECT);
  const late = await watch(["https://late.io/"]);
  await deliver([...late, ...others], HERE, OK);
  await deliver(late, THERE, OK);
  await pass(10);
  await deliver(late, HERE, CONNECT);
  await pass(10);
  await deliver(late, HERE, CONNECT);
  expect(await notified()).toEqual(["triggered"]);
});

it("a location that is guarded no longer lets its alerts go at once", async () => {
  const { body } = await test.call("POST", "/api/locations", { name: "office" });
  const { id } = body.location;
  const all = await watch(DOMAINS, { locations: [id, WEST] });
  await minutes(1, all, OK);
  await minutes(3, all, CONNECT);
  expect((await test.call("PUT", `/api/locations/${id}`, { isGuarded: false })).status).toBe(200);
  await review();
  expect(await notified()).toHaveLength(3);
});
