import { type Check, DAY_MS, HOUR_MS, MINUTE_MS, STATUS_LABEL_CHECKS_MAX } from "@svc/contract";
import { describe, expect, it } from "vitest";
import type { TestApp } from "../../../test-support/app.ts";
import { aRollup, keyOfCheck, keyOfLocation } from "../../../test-support/builders.ts";
import { createCheck } from "../../../test-support/checks-app.ts";
import { useStatusPages } from "../../../test-support/status-page-test.ts";

let test: TestApp;
const { aPage, read, view, stateOf, deliver } = useStatusPages((app) => {
  test = app;
});

/** Stores copies of a check, and gives all checks of the team the labels `web` and `eu`. */
async function withCopies(check: Check, count: number): Promise<void> {
  const { knex } = test.services;
  const [row] = await knex("checks").where({ id: check.id });
  const { key, storedBytes, ...columns } = row;
  await knex.batchInsert(
    "checks",
    Array.from({ length: count }, (_, i) => ({
      ...columns,
      id: `${columns.id}${i}`,
      config: JSON.stringify(columns.config),
    })),
  );
  await knex.raw(
    `INSERT INTO check_labels (check_key, team_id, label) SELECT c.key, c.team_id, l FROM checks c, unnest(ARRAY['web', 'eu']) l
     WHERE c.team_id = ? ON CONFLICT DO NOTHING`,
    [test.team.teamId],
  );
}

const EAST_WEST = { locations: ["loc_us_east", "loc_us_west"] };

describe("the state of a component", () => {
  it("is unknown without recent results, operational, degraded, or an outage by its locations", async () => {
    const check = await createCheck(test, { ...EAST_WEST, frequencySeconds: 60 });
    await aPage({ components: [{ name: "Web", checkId: check.id }] });
    expect(await stateOf("Web")).toBe("unknown");
    await deliver(check, { loc_us_east: 1, loc_us_west: 1 });
    expect(await stateOf("Web")).toBe("operational");
    await deliver(check, { loc_us_east: 2 }, 0);
    expect(await stateOf("Web")).toBe("degraded");
    await deliver(check, { loc_us_west: 4 }, 0);
    expect(await stateOf("Web")).toBe("outage");
    test.clock.advance(8 * MINUTE_MS);
    expect(await stateOf("Web")).toBe("unknown");
    expect((await view()).state).toBe("unknown");
  });

  it("is unknown of a disabled check, and maintenance while a window holds", async () => {
    const check = await createCheck(test);
    await aPage({ components: [{ name: "Web", checkId: check.id }] });
    await deliver(check, { loc_us_east: 2 }, 0);
    const at = (ms: number) => new Date(test.clock.nowMs() + ms).toISOString();
    const window = {
      name: "Secret",
      mode: "continue",
      checkIds: [check.id],
      startsAt: at(0),
      endsAt: at(HOUR_MS),
    };
    const { maintenanceWindow } = (await test.call("POST", "/api/maintenance-windows", window)).body;
    expect(await stateOf("Web")).toBe("maintenance");
    expect((await read("")).text).not.toContain("Secret");
    await test.call("DELETE", `/api/maintenance-windows/${maintenanceWindow.id}`);
    expect(await stateOf("Web")).toBe("outage");
    await test.call("PUT", `/api/checks/${check.id}`, { enabled: false });
    expect(await stateOf("Web")).toBe("unknown");
  });

  it("of labels is the state of all their checks, and unknown beyond 200 of them", async () => {
    const checks = await Promise.all([createCheck(test), createCheck(test, { name: "B" })]);
    for (const { id } of checks)
      await test.call("PUT", `/api/checks/${id}/labels`, { labels: ["web", "eu"] });
    const components = [
      { name: "Both", labels: ["web", "eu"] },
      { name: "None", labels: ["web", "us"] },
    ];
    await aPage({ components });
    await deliver(checks[0], { loc_us_east: 2 }, 0);
    expect([await stateOf("Both"), await stateOf("None")]).toEqual(["outage", "unknown"]);
    await deliver(checks[1], { loc_us_east: 1 }, 0);
    expect(await stateOf("Both")).toBe("degraded");
    await withCopies(checks[0], 199);
    expect(await stateOf("Both")).toBe("unknown");
  });
});

it("finds checks by the rarest label of a component, and reads no more than some thousand rows for labels that very many have", async () => {
  const { knex } = test.services;
  const one = await createCheck(test);
  await withCopies(one, STATUS_LABEL_CHECKS_MAX);
  await test.call("PUT", `/api/checks/${one.id}/labels`, { labels: ["web", "eu", "rare"] });
  await knex.raw(
    `INSERT INTO check_labels (check_key, team_id, label) SELECT check_key, team_id, 'ap' FROM check_labels
     WHERE team_id = :teamId AND label = 'web'`,
    { teamId: test.team.teamId },
  );
  const key = await keyOfCheck(knex, one.id);
  await deliver(one, { loc_us_east: 1 }, 0);
  const components = [
    { name: "Rare", labels: ["web", "eu", "rare"] },
    { name: "Common", labels: ["ap", "eu"] },
    { name: "One of two", labels: ["eu", "ap", "rare"] },
  ];
  const page = await aPage({ components });
  const states = async () => (await view()).components.map(({ state }) => state);
  expect(await states()).toEqual(["operational", "unknown", "operational"]);
  expect(page.checkCount).toBeGreaterThan(200);
  // Once no more than the most have one of the labels, those that lack the other are left out.
  await knex.raw("DELETE FROM check_labels WHERE team_id = ? AND label = 'ap' AND check_key <> ?", [
    test.team.teamId,
    key,
  ]);
  expect(await states()).toEqual(["operational", "operational", "operational"]);
  expect((await test.call("GET", `/api/status-pages/${page.id}`)).body.statusPage.checkCount).toBe(1);
});

it("shows a component by all of its checks or by none, behind others with very many", async () => {
  const [web, small] = [await createCheck(test), await createCheck(test, { name: "Small" })];
  await withCopies(web, 900);
  for (const id of [web.id, small.id])
    await test.call("PUT", `/api/checks/${id}/labels`, { labels: ["small"] });
  await deliver(web, { loc_us_east: 1 }, 0);
  await deliver(small, { loc_us_east: 2 }, 0);
  const many = ["web", "eu"].map((label) => ({ name: label, labels: [label] }));
  await aPage({ components: [...many, { name: "Small", labels: ["small"] }] });
  // 1,802 checks stand before those two, which fit once they are all read.
  expect((await view()).components.map(({ name, state }) => [name, state])).toEqual([
    ["web", "unknown"],
    ["eu", "unknown"],
    ["Small", "degraded"],
  ]);
});

it("shows each component by its own checks after the check of one before it is deleted", async () => {
  const names = ["First", "Second", "Third"];
  const checks = await Promise.all(names.map((name) => createCheck(test, { name })));
  const page = await aPage({
    components: names.map((name, index) => ({ name, checkId: checks[index]?.id })),
  });
  const [first, second, third] = checks as [Check, Check, Check];
  await deliver(second, { loc_us_east: 1 }, 0);
  await deliver(third, { loc_us_east: 2 }, 0);
  await test.call("DELETE", `/api/checks/${first.id}`);
  const states = async () => (await view()).components.map(({ name, state }) => [name, state]);
  expect(await states()).toEqual([
    ["Second", "operational"],
    ["Third", "outage"],
  ]);
  const { components } = (await test.call("GET", `/api/status-pages/${page.id}`)).body.statusPage;
  expect(components).toEqual(page.components.slice(1));
  // Components that are stored again have no gap.
  await test.call("PUT", `/api/status-pages/${page.id}`, { components: [...components].reverse() });
  expect(await states()).toEqual([
    ["Third", "outage"],
    ["Second", "operational"],
  ]);
});

describe("the days of a component", () => {
  /** Stores an hour's counts of a check, and that all is rolled up until now. */
  async function rolledUp(check: Check, agoMs: number, [good, failed]: [number, number]): Promise<void> {
    const { knex } = test.services;
    const hour = Math.floor((test.clock.nowMs() - agoMs) / HOUR_MS) * HOUR_MS;
    await knex("rollups").insert(
      aRollup({
        bucketSeconds: 3600,
        bucketMs: hour,
        checkKey: await keyOfCheck(knex, check.id),
        locationKey: await keyOfLocation(knex, "loc_us_east"),
        successCount: good,
        failureCount: failed,
      }),
    );
    await knex.raw(
      `INSERT INTO job_progress (job, done_until_ms) VALUES ('rollups', :ms)
       ON CONFLICT (job) DO UPDATE SET done_until_ms = excluded.done_until_ms`,
      { ms: test.clock.nowMs() },
    );
  }
  /** Makes a check that has been scheduled for some days. */
  async function scheduledFor(days: number): Promise<Check> {
    const check = await createCheck(test, { frequencySeconds: 3600 });
    const fromMs = Math.floor(test.clock.nowMs() / DAY_MS) * DAY_MS - days * DAY_MS;
    await test.services
      .knex("checkRevisions")
      .where({ checkKey: await keyOfCheck(test.services.knex, check.id) })
      .update({ effectiveFromMs: fromMs });
    return check;
  }

  it("are 90; one without results has no data, and one that was measured in part says so", async () => {
    const check = await scheduledFor(3);
    await aPage({ components: [{ name: "Web", checkId: check.id }] });
    const midday = test.clock.nowMs() % DAY_MS;
    for (let hour = 0; hour < 24; hour++) await rolledUp(check, midday + 2 * DAY_MS - hour * HOUR_MS, [1, 0]);
    for (let hour = 0; hour < 12; hour++)
      await rolledUp(check, midday + DAY_MS - hour * HOUR_MS, hour < 6 ? [0, 1] : [1, 0]);
    const component = (await view()).components[0];
    expect(component?.days).toHaveLength(90);
    const [twoAgo, yesterday, today] = component?.days.slice(-3) ?? [];
    expect(twoAgo).toMatchObject({ state: "operational", goodPercent: 100, measuredPercent: 100 });
    expect(yesterday).toMatchObject({ state: "outage", goodPercent: 50, measuredPercent: 50 });
    expect(today).toMatchObject({ state: "unmeasured", goodPercent: null, measuredPercent: 0 });
    // The check was due on the day before, and did not exist before that.
    expect(component?.days.at(-4)).toMatchObject({ state: "unmeasured", measuredPercent: 0 });
    expect(component?.days.at(-5)).toMatchObject({ state: "unmeasured", measuredPercent: null });
    expect(component?.goodPercent).toBe(83.33);
    const { text } = await read("");
    expect(text).toContain("83.33 % of results were good; 88 of 90 days have no data.");
    expect(text).toContain("Outage, 50 % of results good, 50 % of the day measured");
  });

  it("never round up to all good: one failure in very many shows", async () => {
    const check = await scheduledFor(1);
    await aPage({ components: [{ name: "Web", checkId: check.id }] });
    await rolledUp(check, DAY_MS, [999_999, 1]);
    const day = (await view()).components[0]?.days.at(-2);
    expect(day).toMatchObject({ state: "operational", goodPercent: 99.99 });
  });

  it("without a check are days without data", async () => {
    await aPage({ components: [{ name: "None", labels: ["none"] }] });
    const component = (await view()).components[0];
    expect(component?.days.every(({ state }) => state === "unmeasured")).toBe(true);
    expect(component?.goodPercent).toBeNull();
  });
});
