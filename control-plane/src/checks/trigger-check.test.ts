import { isSlot, phaseMs } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TestApp } from "../../test-support/app.ts";
import { createCheck, createChecksApp, manualRunsOf } from "../../test-support/checks-app.ts";

let test: TestApp;

beforeAll(async () => {
  test = await createChecksApp();
});
afterAll(() => test.close());

beforeEach(async () => {
  test.team = await test.createTeam();
});

describe("triggering", () => {
  const trigger = (id: string) => test.call("POST", `/api/checks/${id}/trigger`);

  it("orders a run now in each location, of a disabled check too", async () => {
    const check = await createCheck(test, { enabled: false, locations: ["loc_us_east", "loc_us_west"] });
    expect((await trigger(check.id)).body).toEqual({ triggered: true, locations: 2 });
    const [run] = await manualRunsOf(test, check.id);
    expect(run).toMatchObject({ reason: "triggered", slotMs: test.clock.nowMs() });
    expect(run?.locationKeys).toHaveLength(2);
  });

  it("triggers in one ms are runs of their own", async () => {
    const check = await createCheck(test, { enabled: false });
    const answers = await Promise.all(Array.from({ length: 6 }, () => trigger(check.id)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(6).fill(200));
    const slots = (await manualRunsOf(test, check.id)).map((run) => run.slotMs);
    expect(new Set(slots).size).toBe(6);
    expect(Math.max(...slots) - test.clock.nowMs()).toBeLessThanOrEqual(6);
  });

  it("a triggered run never takes a slot of the check's grid", async () => {
    const check = await createCheck(test, { enabled: false, frequencySeconds: 10 });
    const phase = phaseMs(check.id, 10);
    const toNextSlot = (10_000 + phase - (test.clock.nowMs() % 10_000)) % 10_000;
    test.clock.advance(toNextSlot);
    expect(isSlot(test.clock.nowMs(), 10_000, phase)).toBe(true);
    await trigger(check.id);
    expect((await manualRunsOf(test, check.id))[0]?.slotMs).toBe(test.clock.nowMs() + 1);
  });
});
