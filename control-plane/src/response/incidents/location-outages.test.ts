/** Locations that can't reach their targets, from results to notifications, with every store and job that takes part. */
import { describe, expect, it } from "vitest";
import type { Delivered } from "../../../test-support/alerting.ts";
import { EAST, EUROPE, WEST } from "../../../test-support/incident-test.ts";
import {
  CONNECT,
  DOMAINS,
  HERE,
  OK,
  setUpOutageTests,
  THERE,
  type Watched,
} from "../../../test-support/outage-test.ts";

const outages = setUpOutageTests();
const { watched, watchAll, deliver, work, minute, minutes, alertOf, chat } = outages;

async function locationOf(id: string) {
  const { body } = await outages.test.call("GET", "/api/locations");
  return body.locations.find((one: { id: string }) => one.id === id);
}

describe("a location that can't reach its targets", () => {
  it("is one message instead of one for each check, and one at its end", async () => {
    const all = await watchAll(Array.from({ length: 200 }, (_, i) => `https://host${i}.site${i % 41}.com/`));
    await minute(all, OK);
    await minutes(4, all, CONNECT);
    for (const channel of ["webhook", "chat", "paging"] as const)
      expect(await outages.test.notifiedTo(channel)).toEqual(["incident.opened"]);
    expect(await outages.test.notifiedTo("alertsOnly")).toEqual([]);
    const [incident, ...others] = await outages.test.incidents();
    expect(others).toEqual([]);
    expect(incident).toMatchObject({
      title: expect.stringMatching(/^Location .+ can't reach its targets$/),
      state: "open",
      severity: "critical",
      memberCount: 0,
    });
    const { alerts } = await outages.test.detail(incident.id);
    expect(alerts).toHaveLength(200);
    expect(alerts[0].heldBack).toMatchObject({
      reason: "location",
      text: expect.stringMatching(/^held back: .+ can't reach its targets$/),
      locationId: EAST,
      incidentId: incident.id,
      instanceId: null,
    });
    await minutes(8, all, OK);
    expect(await chat()).toEqual(["incident.opened", "incident.auto_resolved"]);
    expect(await outages.test.notifiedTo("paging")).toEqual([
      "incident.opened",
      "incident.members_recovered",
      "incident.auto_resolved",
    ]);
    expect((await outages.test.incidents())[0].state).toBe("resolved");
    expect((await alertOf(all[0] as Watched)).state).toBe("recovered");
  });

  it("shows the team its incident while the outage lasts, and other teams nothing", async () => {
    const all = await watchAll(DOMAINS);
    await minute(all, OK);
    await minutes(3, all, CONNECT);
    const [incident] = await outages.test.incidents();
    const { outage } = await locationOf(EAST);
    expect(outage).toEqual({ since: incident.openedAt, incidentId: incident.id });
    expect(await locationOf(WEST)).not.toHaveProperty("outage");
    const own = outages.test.team;
    outages.test.team = await outages.test.createTeam();
    expect(await locationOf(EAST)).not.toHaveProperty("outage");
    outages.test.team = own;
    await minutes(2, all, OK);
    expect(await locationOf(EAST)).not.toHaveProperty("outage");
  });

  it("of the team's own is guarded as it is created, until it says otherwise", async () => {
    const { body } = await outages.test.call("POST", "/api/locations", { name: "office" });
    const { id, isGuarded } = body.location;
    expect(isGuarded).toBe(true);
    const all = await watchAll(DOMAINS, { locations: [id, WEST] });
    await minute(all, OK);
    await minutes(3, all, CONNECT);
    expect(await outages.test.notifiedTo("alertsOnly")).toEqual([]);
    expect((await locationOf(id)).outage).toBeDefined();
    const { status } = await outages.test.call("PUT", `/api/locations/${id}`, { isGuarded: false });
    expect(status).toBe(200);
    await minutes(3, all, CONNECT);
    expect(await outages.test.notifiedTo("alertsOnly")).toHaveLength(3);
    expect(await locationOf(id)).toMatchObject({ isGuarded: false });
    expect(await locationOf(id)).not.toHaveProperty("outage");
    const later = await watched("https://later.dev/", { locations: [id, WEST] });
    await minute([...all, later], OK);
    await minutes(3, [...all, later], CONNECT);
    expect(await alertOf(later)).not.toHaveProperty("heldBack");
  });

  it("a target that fails elsewhere, too, is notified at once, in the midst of the outage", async () => {
    const all = await watchAll([...DOMAINS, "https://d.io/"]);
    const [down, ...well] = all as [Watched, ...Watched[]];
    await minute(all, OK);
    await minutes(3, all, CONNECT);
    expect(await outages.test.notifiedTo("alertsOnly")).toEqual([]);
    outages.test.clock.advance(30_000);
    await deliver(all, HERE, CONNECT);
    await deliver([down], THERE, CONNECT);
    await work();
    expect(await outages.test.notifiedTo("alertsOnly")).toEqual(["triggered"]);
    expect(await alertOf(down)).not.toHaveProperty("heldBack");
    expect(await alertOf(well[0] as Watched)).toHaveProperty("heldBack");
  });

  it("a check that fails on after the outage is notified; what was held while its target was well is not", async () => {
    const all = await watchAll([...DOMAINS, "https://d.io/"]);
    const [failing, ...well] = all as [Watched, ...Watched[]];
    await minute(all, OK);
    await minutes(3, all, CONNECT);
    for (let i = 0; i < 4; i++) {
      outages.test.clock.advance(30_000);
      await deliver(well, HERE, OK);
      await deliver([failing], HERE, CONNECT);
      await work();
      outages.test.clock.advance(30_000);
      await deliver(all, THERE, OK);
      await work();
    }
    expect(await outages.test.notifiedTo("alertsOnly")).toEqual(["triggered"]);
    expect(await alertOf(failing)).not.toHaveProperty("heldBack");
  });

  it("a check that runs there alone is held for ten minutes, since nobody else sees its target", async () => {
    const all = await watchAll(DOMAINS);
    const alone = await watched("https://alone.dev/", { locations: [EAST] });
    await minute(all, OK);
    await deliver([alone], HERE, OK);
    const minuteWithAlone = async () => {
      await minute(all, CONNECT);
      await deliver([alone], HERE, CONNECT);
      await work();
    };
    for (let i = 0; i < 10; i++) await minuteWithAlone();
    expect(await alertOf(alone)).toHaveProperty("heldBack");
    expect(await outages.test.notifiedTo("alertsOnly")).toEqual([]);
    for (let i = 0; i < 3; i++) await minuteWithAlone();
    expect(await outages.test.notifiedTo("alertsOnly")).toEqual(["triggered"]);
    expect(await alertOf(alone)).not.toHaveProperty("heldBack");
  });
});

describe("nothing is held back", () => {
  it.each<[string, readonly string[]]>([
    ["by two domains", ["https://a.com/", "https://b.org/"]],
    [
      "by three hosts of which two share a registrable domain",
      ["https://a.example.co.uk/", "https://b.example.co.uk/", "https://b.org/"],
    ],
    [
      "by three pages of one host of pages",
      ["https://a.github.io/", "https://b.github.io/", "https://c.github.io/"],
    ],
    ["by three addresses of one network", ["http://192.0.2.1/", "http://192.0.2.2/", "http://192.0.2.3/"]],
  ])("%s", async (_, urls) => {
    const all = await watchAll(urls);
    await minute(all, OK);
    await minutes(4, all, CONNECT);
    expect((await outages.test.notifiedTo("alertsOnly")).length).toBe(urls.length);
  });

  it("when half of the domains answer there", async () => {
    const failing = await watchAll(DOMAINS);
    const well = await watchAll(["https://d.io/", "https://e.dev/", "https://f.eu/"]);
    await minute([...failing, ...well], OK);
    for (let i = 0; i < 3; i++) {
      await deliver(well, HERE, OK);
      await minute(failing, CONNECT);
      await deliver(well, THERE, OK);
    }
    expect(await outages.test.notifiedTo("alertsOnly")).toHaveLength(3);
  });

  it.each<[string, Partial<Delivered>]>([
    ["that answer with an error", { status: "failure", detail: { errorCategory: "assertion" } }],
    ["whose script fails", { status: "error", detail: { errorCategory: "script" } }],
  ])("of targets %s there alone", async (_, result) => {
    const all = await watchAll(DOMAINS);
    await minute(all, OK);
    await minutes(3, all, result);
    expect(await outages.test.notifiedTo("alertsOnly")).toHaveLength(3);
  });

  it("by what another team's checks see, however many domains of its own fail there", async () => {
    const hostile = await watchAll([...DOMAINS, "https://d.io/", "https://e.dev/"]);
    const { team } = outages.test;
    const theirs = outages.test.channels;
    await outages.test.beginAnew();
    const victim = await watchAll(["https://victim.com/"]);
    await minute([...hostile, ...victim], OK);
    await minutes(4, [...hostile, ...victim], CONNECT);
    expect(await outages.test.notifiedTo("alertsOnly")).toEqual(["triggered"]);
    const incidents = await outages.test.incidents();
    expect(JSON.stringify(incidents)).not.toMatch(/a\.com|d\.io|can't reach its targets/);
    outages.test.team = team;
    outages.test.channels = theirs;
    await outages.test.process();
    expect(await outages.test.incidents()).toHaveLength(1);
  });
});

describe("a check that depends on one whose alert is held because of a location", () => {
  it("is notified of its own failure after the three minutes of a suspicion, although that alert stays", async () => {
    const all = await watchAll(DOMAINS);
    const [parent] = all as [Watched, ...Watched[]];
    const child = await watched("https://child.dev/", { locations: [WEST, EUROPE] });
    await outages.test.call("PUT", `/api/checks/${child.check.id}`, { dependsOn: [parent.check.id] });
    await minute(all, OK);
    await minutes(3, all, CONNECT);
    for (let i = 0; i < 6; i++) {
      await deliver([child], HERE, CONNECT);
      await deliver([child], THERE, CONNECT);
      await minute(all, CONNECT);
    }
    expect(await outages.test.notifiedTo("alertsOnly")).toEqual(["triggered"]);
    expect(await alertOf(child)).not.toHaveProperty("heldBack");
    expect(await alertOf(parent)).toHaveProperty("heldBack");
  });
});

describe("odd frequencies", () => {
  it("checks of 10 and of 60 seconds are evidence together, and each is held", async () => {
    const fast = await watchAll(DOMAINS, { frequencySeconds: 10 });
    const slow = await watchAll(["https://d.io/", "https://e.dev/"], { frequencySeconds: 60 });
    await minute([...fast, ...slow], OK);
    for (let second = 0; second < 180; second += 10) {
      outages.test.clock.advance(5_000);
      await deliver(fast, HERE, CONNECT);
      if (second % 60 === 0) await deliver(slow, HERE, CONNECT);
      await work();
      outages.test.clock.advance(5_000);
      await deliver(fast, THERE, OK);
      if (second % 60 === 30) await deliver(slow, THERE, OK);
      await work();
    }
    expect(await outages.test.notifiedTo("alertsOnly")).toEqual([]);
    expect(await chat()).toEqual(["incident.opened"]);
    expect(await alertOf(slow[0] as Watched)).toHaveProperty("heldBack");
  });
});

describe("two locations at once", () => {
  it("a rule about several locations is held while neither can reach its targets, and notified when a third one fails", async () => {
    const locations = [EAST, WEST, EUROPE];
    const EUROPEAN = 2;
    const known = await watchAll(DOMAINS, { locations });
    const check = await outages.test.newCheck({ name: "d", locations, httpConfig: { url: "https://d.io/" } });
    await outages.test.newRule(check, {
      conditions: [{ type: "multi_location_failure", minLocations: 2 }],
      channelIds: Object.values(outages.test.channels),
    });
    const several = { check, frequencySeconds: 60 };
    const round = async (ofKnown: Partial<Delivered>[], ofSeveral: Partial<Delivered>[]) => {
      for (const position of [HERE, THERE, EUROPEAN]) {
        outages.test.clock.advance(20_000);
        await deliver(known, position, ofKnown[position] ?? OK);
        await deliver([several], position, ofSeveral[position] ?? OK);
        await work();
      }
    };
    await round([], []);
    for (let i = 0; i < 3; i++) await round([CONNECT, CONNECT], []);
    // The alerts are open already as the second location goes, so it opens no incident.
    expect(await outages.test.incidents()).toHaveLength(1);
    await round([CONNECT, CONNECT], [CONNECT, CONNECT]);
    const names = await Promise.all([EAST, WEST].map(async (id) => (await locationOf(id)).displayName));
    expect((await alertOf(several)).heldBack).toMatchObject({
      text: `held back: ${names.join(" and ")} can't reach their targets`,
      locationId: EAST,
    });
    expect(await outages.test.notifiedTo("alertsOnly")).toEqual([]);
    await round([CONNECT, CONNECT], [CONNECT, CONNECT, CONNECT]);
    expect(await alertOf(several)).not.toHaveProperty("heldBack");
    expect(await outages.test.notifiedTo("alertsOnly")).toEqual(["triggered"]);
  });
});
