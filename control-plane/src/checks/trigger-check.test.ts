import { isSlot, phaseMs } from "@svc/contract";
import { describe, expect, it } from "vitest";
import type { TestApp } from "../../test-support/app.ts";
import { aResult, keyOfCheck, storeResults } from "../../test-support/builders.ts";
import { createCheck, manualRunsOf, useChecksApp } from "../../test-support/checks-app.ts";

let test: TestApp;
useChecksApp((app) => {
  test = app;
});

describe("triggering", () => {
  const trigger = (id: string) => test.call("POST", `/api/checks/${id}/trigger`);

  /** Stores a result of the check's newest triggered run in one of its locations. */
  async function finish(id: string, index = 0): Promise<void> {
    const run = (await manualRunsOf(test, id)).at(-1);
    const locationKey = run?.locationKeys[index];
    if (!run || locationKey === undefined) throw new Error("the check has no such run");
    const checkKey = await keyOfCheck(test.services.knex, id);
    await storeResults(test.services.knex, [aResult({ checkKey, locationKey, slotMs: run.slotMs })]);
  }

  it("dispatches a run now in each location, of a disabled check too", async () => {
    const check = await createCheck(test, { enabled: false, locations: ["loc_us_east", "loc_us_west"] });
    expect((await trigger(check.id)).body).toMatchObject({ triggered: true, locations: 2 });
    const [run] = await manualRunsOf(test, check.id);
    expect(run).toMatchObject({ reason: "triggered", slotMs: test.clock.nowMs() });
    expect(run?.locationKeys).toHaveLength(2);
  });

  it("triggers at once join one open run and answer alike; a finished run is joined by none", async () => {
    const check = await createCheck(test, { enabled: false });
    const answers = await Promise.all(Array.from({ length: 6 }, () => trigger(check.id)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(6).fill(200));
    expect(answers[0]?.body).toEqual({
      triggered: true,
      locations: 1,
      runId: expect.stringMatching(/^run_/),
    });
    expect(answers.map((answer) => answer.body)).toEqual(Array(6).fill(answers[0]?.body));
    expect(await manualRunsOf(test, check.id)).toHaveLength(1);
    await finish(check.id);
    await trigger(check.id);
    const slots = (await manualRunsOf(test, check.id)).map((run) => run.slotMs);
    expect(new Set(slots).size).toBe(2);
    expect(Math.max(...slots) - test.clock.nowMs()).toBeLessThanOrEqual(2);
  });

  it("where one location has its result, a trigger runs the check there again and joins the others", async () => {
    const check = await createCheck(test, { enabled: false, locations: ["loc_us_east", "loc_us_west"] });
    await trigger(check.id);
    await finish(check.id);
    expect((await trigger(check.id)).body).toMatchObject({ triggered: true, locations: 2 });
    const [first, second] = await manualRunsOf(test, check.id);
    expect(second?.locationKeys).toEqual(first?.locationKeys.slice(0, 1));
  });

  it("a run that nobody began in 30 s, and one of a former configuration, are not joined", async () => {
    const check = await createCheck(test, { enabled: false });
    await trigger(check.id);
    test.clock.advance(30_001);
    await trigger(check.id);
    expect(await manualRunsOf(test, check.id)).toHaveLength(2);
    test.clock.advance(1_000);
    await test.call("PUT", `/api/checks/${check.id}`, {
      configJson: { url: "http://127.0.0.1:9/new" },
    });
    await trigger(check.id);
    expect(await manualRunsOf(test, check.id)).toHaveLength(3);
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

  it("beyond 10 triggers of a check in 10 s is 429, also at once, until the oldest is 10 s old", async () => {
    const check = await createCheck(test, { enabled: false });
    for (let i = 0; i < 9; i++) {
      expect((await trigger(check.id)).status).toBe(200);
      await finish(check.id);
    }
    const statuses = await Promise.all(
      Array.from({ length: 3 }, async () => (await trigger(check.id)).status),
    );
    expect(statuses.toSorted()).toEqual([200, 429, 429]);
    expect(await manualRunsOf(test, check.id)).toHaveLength(10);
    test.clock.advance(4_500);
    const refused = await trigger(check.id);
    expect([refused.status, Number(refused.headers["retry-after"])]).toEqual([429, 6]);
    expect(refused.body.error).toMatch(/10 times in 10 s/);
    test.clock.advance(7_000);
    expect((await trigger(check.id)).status).toBe(200);
  });

  it("beyond 300 runs of a team in a minute is 429 for all its checks, and for no other team's", async () => {
    const check = await createCheck(test, { enabled: false, locations: ["loc_us_east", "loc_us_west"] });
    const { knex } = test.services;
    const { key } = await knex("checks").where({ id: check.id }).first("key");
    const nowMs = test.clock.nowMs();
    const filled = { checkKey: key, slotMs: nowMs - 20_000, reason: "triggered" };
    await knex("manualRuns").insert({ ...filled, locationKeys: Array(299).fill(1) });
    const refused = await trigger(check.id);
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "40"]);
    test.team = await test.createTeam();
    const theirs = await createCheck(test, { enabled: false });
    expect((await trigger(theirs.id)).status).toBe(200);
  });
});
