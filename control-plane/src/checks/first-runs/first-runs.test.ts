import { MINUTE_MS, newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TestApp } from "../../../test-support/app.ts";
import { keyOfCheck } from "../../../test-support/builders.ts";
import { createCheck, createChecksApp, manualRunsOf } from "../../../test-support/checks-app.ts";
import { dispatchQueuedFirstRuns } from "./jobs.ts";

let test: TestApp;

beforeAll(async () => {
  test = await createChecksApp();
});
afterAll(() => test.close());

beforeEach(async () => {
  // Each test begins with an empty window.
  test.clock.advance(2 * MINUTE_MS);
  test.team = await test.createTeam();
});

/** Dispatches first runs in the team's name, as if other checks had been created at this moment. */
async function useBudget(runs: number): Promise<void> {
  const check = await createCheck(test, { enabled: false });
  const checkKey = await keyOfCheck(test.services.knex, check.id);
  const slotMs = test.clock.nowMs() - 1;
  await test.services.knex("manualRuns").insert({
    checkKey,
    slotMs,
    reason: "first_run",
    locationKeys: Array(runs).fill(1),
  });
}

const runJob = () => dispatchQueuedFirstRuns(test.services.knex, () => test.clock.nowMs());
const queued = async () => (await test.services.knex("queuedFirstRuns").select()).length;

describe("first runs of a team", () => {
  it("are dispatched at once up to 1,000 in a minute; the next one waits and is dispatched a minute later", async () => {
    await useBudget(999);
    const last = await createCheck(test);
    expect(await manualRunsOf(test, last.id)).toHaveLength(1);
    const waiting = await createCheck(test);
    expect(await manualRunsOf(test, waiting.id)).toEqual([]);
    await runJob();
    expect(await manualRunsOf(test, waiting.id)).toEqual([]);
    test.clock.advance(MINUTE_MS);
    await runJob();
    expect(await manualRunsOf(test, waiting.id)).toMatchObject([{ reason: "first_run" }]);
    expect(await queued()).toBe(0);
  });

  it("keep no other team's waiting", async () => {
    await useBudget(1_000);
    await createCheck(test);
    test.team = await test.createTeam();
    const theirs = await createCheck(test);
    expect(await manualRunsOf(test, theirs.id)).toHaveLength(1);
  });

  it("created at once don't exceed the budget together, and none is lost", async () => {
    await useBudget(995);
    const before = await queued();
    const checks = await Promise.all(Array.from({ length: 12 }, () => createCheck(test)));
    const runs = await Promise.all(checks.map(async (check) => (await manualRunsOf(test, check.id)).length));
    const dispatched = runs.filter((count) => count === 1).length;
    expect(dispatched).toBeLessThanOrEqual(5);
    expect(dispatched + (await queued()) - before).toBe(12);
  });

  it("wait behind those that wait already, in their order, at most 100 runs at a time", async () => {
    await useBudget(1_000);
    const { knex } = test.services;
    const first = await createCheck(test);
    const second = await createCheck(test);
    await knex("queuedFirstRuns")
      .where({ checkKey: await keyOfCheck(knex, first.id) })
      .update({ runCount: 100 });
    test.clock.advance(MINUTE_MS);
    // The budget is free again, but an older check waits.
    const third = await createCheck(test);
    expect(await manualRunsOf(test, third.id)).toEqual([]);
    await runJob();
    expect(await manualRunsOf(test, first.id)).toHaveLength(1);
    expect(await manualRunsOf(test, second.id)).toEqual([]);
    await runJob();
    expect(await manualRunsOf(test, second.id)).toHaveLength(1);
    expect(await manualRunsOf(test, third.id)).toHaveLength(1);
  });

  it("that wait go with their check, and none is dispatched for a check that was disabled", async () => {
    await useBudget(1_000);
    const before = await queued();
    const deleted = await createCheck(test);
    const disabled = await createCheck(test, { name: newId("check") });
    await test.call("DELETE", `/api/checks/${deleted.id}`);
    expect(await queued()).toBe(before + 1);
    await test.call("PUT", `/api/checks/${disabled.id}`, { enabled: false });
    test.clock.advance(MINUTE_MS);
    await runJob();
    expect(await manualRunsOf(test, disabled.id)).toEqual([]);
    expect(await queued()).toBe(0);
  });
});
