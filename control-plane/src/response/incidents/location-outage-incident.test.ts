/** The incident of an outage: what is folded into it, who is notified of it, and when there is none. */
import { describe, expect, it } from "vitest";
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
const { watched, watchAll, deliver, work, minute, minutes, chat } = outages;

describe("the incident of a location that can't reach its targets", () => {
  it("which comes back and goes again within its cool-down goes on with its incident", async () => {
    const all = await watchAll(DOMAINS);
    await minute(all, OK);
    await minutes(3, all, CONNECT);
    await minutes(2, all, OK);
    await minutes(3, all, CONNECT);
    expect(await outages.test.incidents()).toHaveLength(1);
    expect(await chat()).toEqual(["incident.opened", "incident.alert_attached"]);
    await minutes(8, all, OK);
    expect((await outages.test.incidents())[0].state).toBe("resolved");
  });

  it("closes the incidents of alerts that were notified before it was known, and has their alerts", async () => {
    const early = await watched("https://early.com/", { count: 1 });
    const all = [early, ...(await watchAll(DOMAINS))];
    await minute(all, OK);
    await minutes(4, all, CONNECT);
    const incidents = await outages.test.incidents();
    expect(incidents.map(({ state }: { state: string }) => state)).toEqual(["open", "closed"]);
    expect(incidents[1].mergedInto).toBe(incidents[0].id);
    expect(incidents[0]).toMatchObject({ memberCount: 1, openMemberCount: 1 });
    expect(incidents[0].title).toMatch(/can't reach its targets$/);
    await minutes(8, all, OK);
    expect((await outages.test.incidents())[0].state).toBe("resolved");
  });

  it("notifies a channel that only a later alert names, and no other again", async () => {
    const { chat: chatId, paging } = outages.test.channels;
    const all = await watchAll(DOMAINS, { channels: [chatId] });
    const later = await watched("https://later.dev/", { count: 4, channels: [paging] });
    await minute([...all, later], OK);
    await minutes(6, [...all, later], CONNECT);
    expect(await chat()).toEqual(["incident.opened"]);
    expect(await outages.test.notifiedTo("paging")).toEqual(["incident.alert_attached"]);
    expect(await outages.test.notifiedTo("webhook")).toEqual(["incident.opened"]);
    await minutes(8, [...all, later], OK);
    expect(await outages.test.notifiedTo("paging")).toEqual([
      "incident.alert_attached",
      "incident.members_recovered",
      "incident.auto_resolved",
    ]);
  });

  it("whose results arrive all at once after the outage is no message: all of it is over", async () => {
    const all = await watchAll([...DOMAINS, "https://d.io/", "https://e.dev/"]);
    await minute(all, OK);
    const beganAtMs = outages.test.now();
    for (let i = 0; i < 5; i++) {
      outages.test.clock.advance(60_000);
      await deliver(all, THERE, OK);
    }
    const locationKey = all[0]?.check.locationKeys[HERE] as number;
    const slots = [1, 2, 3, 4, 5].map((i) => beganAtMs + i * 60_000 - 30_000);
    const [first, ...rest] = all as [Watched, ...Watched[]];
    const results = [first, ...rest].flatMap(({ check }) =>
      slots.map((slotMs, i) => ({ slotMs, locationKey, checkKey: check.key, ...(i < 4 ? CONNECT : OK) })),
    );
    await outages.test.deliver(first.check, results);
    await work();
    expect(await chat()).toEqual([]);
    expect(await outages.test.incidents()).toEqual([]);
    expect(await outages.test.notifiedTo("alertsOnly")).toEqual([]);
  });
});
