import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AlertTestCheck } from "../../../test-support/alerting.ts";
import { createIncidentTest, EAST, type IncidentTest, WEST } from "../../../test-support/incident-test.ts";

let test: IncidentTest;
beforeAll(async () => {
  test = await createIncidentTest();
});
afterAll(() => test.close());
beforeEach(() => test.beginAnew());

describe("incidents that were opened before it was known that a location fails as a whole", () => {
  const locations = [EAST, WEST];
  const categories = ["connect", "dns", "timeout", "tls", "script"];
  async function fleet() {
    const checks = await Promise.all(
      categories.map((_, i) =>
        test.watched(`https://target-${i}.example/`, { locations, name: `Check ${i}` }),
      ),
    );
    for (const check of checks)
      await test.deliver(
        check,
        check.locationKeys.map((locationKey) => ({ slotMs: test.now(), locationKey })),
      );
    test.clock.advance(60_000);
    const failAt = async (index: number, places: readonly number[]) => {
      const check = checks[index] as AlertTestCheck;
      const results = places.map((place) =>
        test.failure(categories[index], { locationKey: check.locationKeys[place] as number }),
      );
      await test.deliver(check, results);
      await test.process();
    };
    return { checks, failAt };
  }

  it("are folded into the oldest of them: one incident has all alerts, the others are closed and say why", async () => {
    const { checks, failAt } = await fleet();
    await failAt(0, [0]);
    await failAt(1, [0]);
    expect((await test.incidents()).map(({ state }: { state: string }) => state)).toEqual(["open", "open"]);
    const [second, first] = await test.incidents();
    await failAt(2, [0]);
    await failAt(3, [0]);
    expect(await test.incidents()).toHaveLength(2);
    const { incident, alerts } = await test.detail(first.id);
    expect(incident).toMatchObject({
      state: "open",
      title: "4 checks failing from US East (Virginia)",
      memberCount: 4,
      openMemberCount: 4,
      mergedInto: null,
    });
    expect(incident.hypothesis.correlationDimensionsMatched).toEqual([`location:${EAST}`]);
    expect(alerts).toHaveLength(4);
    expect(await test.eventTypes(first.id)).toEqual(["opened", "alert_attached", "alert_attached"]);
    const folded = await test.detail(second.id);
    expect(folded.incident).toMatchObject({ state: "closed", closedBy: null, mergedInto: first.id });
    expect(folded.events.at(-1)).toMatchObject({
      eventType: "closed",
      actor: { type: "system", id: null },
      payload: { previousState: "open", mergedInto: first.id, reason: expect.stringContaining(first.id) },
    });
    expect((await test.act(second.id, "reopen")).status).toBe(409);
    // The page of each incident: that of a folded one ends, and its alerts end on the page of the other.
    test.clock.advance(60_000);
    for (const check of checks) await test.deliver(check, [{ slotMs: test.now() }]);
    await test.process();
    expect((await test.detail(first.id)).incident).toMatchObject({ openMemberCount: 0 });
    expect(await test.notifiedTo("paging")).toEqual([
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
    const open = (await test.incidents()).filter(({ state }: { state: string }) => state === "open");
    const members = open.map(({ memberCount }: { memberCount: number }) => memberCount);
    expect(members).toEqual([3, 1, 1]);
  });

  it("are folded into the one that someone has acknowledged", async () => {
    const { failAt } = await fleet();
    await failAt(0, [0]);
    await failAt(1, [0]);
    const [second, first] = await test.incidents();
    await test.act(second.id, "acknowledge");
    await failAt(2, [0]);
    expect((await test.detail(second.id)).incident).toMatchObject({ state: "acknowledged", memberCount: 3 });
    expect((await test.detail(first.id)).incident).toMatchObject({ state: "closed", mergedInto: second.id });
  });
});
