/** A round of reviews over many alerts: turns of the teams, and reads that fail. */
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../../test-support/alerting.ts";
import { reviewHolds } from "./review-holds.ts";

let test: AlertTest;
beforeAll(async () => {
  test = await createAlertTest();
});
afterAll(() => test.close());
afterEach(() => vi.restoreAllMocks());

const nowMs = () => test.clock.nowMs();

/** Makes alerts that are held for a minute, because a check that theirs depend on has not run. */
async function heldAlerts(count: number): Promise<AlertTestCheck[]> {
  const parent = await test.newCheck({ name: "p" });
  const children: AlertTestCheck[] = [];
  for (let i = 0; i < count; i++) {
    const child = await test.newCheck({ name: `c${i}`, dependsOn: [parent.id] } as object);
    const channelIds = [await test.newChannel(test.team.teamId)];
    await test.newRule(child, { conditions: [{ type: "consecutive_failures", count: 1 }], channelIds });
    await test.deliver(child, [{ slotMs: nowMs(), status: "failure" }]);
    children.push(child);
  }
  return children;
}

it("teams take turns in being notified: many alerts of one don't keep another waiting", async () => {
  const first = test.team;
  await heldAlerts(4);
  test.team = await test.createTeam();
  await heldAlerts(2);
  test.clock.advance(60_000);
  await reviewHolds(test.services.knex, nowMs());
  const released = await test.services.knex("alertEvents").where({ type: "released" }).orderBy("id");
  const isOfFirst = released.map(({ teamId }: { teamId: string }) => teamId === first.teamId);
  expect(isOfFirst).toEqual([true, false, true, false, true, true]);
});

it("reads that fail again and again are not made for each alert, and each is decided all the same", async () => {
  const children = await heldAlerts(20);
  const { knex } = test.services;
  const raw = knex.raw.bind(knex);
  let reads = 0;
  vi.spyOn(knex, "raw").mockImplementation(((sql: string, bindings: never) => {
    if (!sql.includes("RECURSIVE above")) return raw(sql, bindings);
    reads++;
    return Promise.reject(Object.assign(new Error("canceling statement"), { code: "57014" }));
  }) as never);
  test.clock.advance(180_000);
  await expect(reviewHolds(knex, nowMs())).rejects.toThrow("reviews of held alerts failed");
  expect(reads).toBeLessThanOrEqual(25);
  for (const child of children) expect(await test.notifications(child)).toEqual(["triggered"]);
});
