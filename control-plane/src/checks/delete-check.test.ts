import { describe, expect, it } from "vitest";
import type { TestApp } from "../../test-support/app.ts";
import { aResult, keyOfCheck, keyOfLocation, storeResults } from "../../test-support/builders.ts";
import { createCheck, useChecksApp } from "../../test-support/checks-app.ts";

let test: TestApp;
useChecksApp((app) => {
  test = app;
});

describe("deleting", () => {
  it("it is gone at once, with its results; the second time it is not found", async () => {
    const { knex } = test.services;
    const check = await createCheck(test);
    const checkKey = await keyOfCheck(knex, check.id);
    const locationKey = await keyOfLocation(knex, "loc_us_east");
    await storeResults(knex, [aResult({ checkKey, locationKey, slotMs: test.clock.nowMs() })]);
    const remove = () => test.call("DELETE", `/api/checks/${check.id}`);
    expect((await remove()).body).toEqual({ success: true });
    for (const path of ["", "/results"])
      expect((await test.call("GET", `/api/checks/${check.id}${path}`)).status).toBe(404);
    expect((await remove()).body).toEqual({ error: "Check not found" });
    expect(await knex("checkDeletions").where({ checkKey })).toHaveLength(1);
    expect(await knex("manualRuns").where({ checkKey })).toEqual([]);
  });

  it("two deletions at once: one works, the other finds nothing", async () => {
    const check = await createCheck(test);
    const remove = () => test.call("DELETE", `/api/checks/${check.id}`);
    const statuses = (await Promise.all([remove(), remove()])).map((answer) => answer.status).sort();
    expect(statuses).toEqual([200, 404]);
  });
});
