import {
  BULK_CHECKS_MAX,
  type BulkOutcomes,
  type Check,
  HOSTED_LOCATIONS,
  newId,
  TRIGGER_LIMITS,
} from "@svc/contract";
import { describe, expect, it } from "vitest";
import type { TestApp } from "../../test-support/app.ts";
import { createCheck, useChecksApp } from "../../test-support/checks-app.ts";
import { OPERATOR } from "../platform/team-context.ts";
import { changeChecks } from "./change-checks.ts";

let test: TestApp;
useChecksApp((app) => {
  test = app;
});

const bulk = (body: object, as?: TestApp["team"]["byKey"]) => test.call("POST", "/api/checks/bulk", body, as);
const outcomesOf = async (body: object) => {
  const { status, body: answer } = await bulk(body);
  expect(status).toBe(200);
  return (answer as BulkOutcomes).outcomes;
};
const read = async ({ id }: Check): Promise<Check> =>
  (await test.call("GET", `/api/checks/${id}`)).body.check;

describe("many checks at once", () => {
  it("are paused and resumed, each with an entry of its own in the change log", async () => {
    const checks = [await createCheck(test), await createCheck(test), await createCheck(test)];
    const ids = checks.map(({ id }) => id);
    const outcomes = await outcomesOf({ ids: ids.slice(0, 2), action: "pause" });
    expect(outcomes).toEqual(ids.slice(0, 2).map((id) => ({ id, status: "done", code: null, error: null })));
    expect(await Promise.all(checks.map(async (check) => (await read(check)).enabled))).toEqual([
      false,
      false,
      true,
    ]);
    const changes = await test.services
      .knex("changes")
      .whereIn("resourceId", ids)
      .where({ action: "updated" });
    expect(changes.map(({ resourceId }) => resourceId).sort()).toEqual(ids.slice(0, 2).sort());
    await outcomesOf({ ids, action: "resume" });
    expect((await read(checks[0] as Check)).enabled).toBe(true);
  });

  it("get another frequency and other locations by the rules for one", async () => {
    const check = await createCheck(test, { frequencySeconds: 60, locations: ["loc_us_east"] });
    await outcomesOf({ ids: [check.id], action: "set_frequency", frequencySeconds: 77 });
    await outcomesOf({
      ids: [check.id],
      action: "set_locations",
      locations: ["loc_us_west", "loc_eu_central"],
    });
    expect(await read(check)).toMatchObject({
      frequencySeconds: 77,
      locations: ["loc_us_west", "loc_eu_central"],
    });
    expect(
      await outcomesOf({ ids: [check.id], action: "set_locations", locations: ["loc_nowhere"] }),
    ).toMatchObject([{ status: "refused", code: "invalid", error: expect.stringContaining("loc_nowhere") }]);
  });

  it("gain and lose labels, and keep those that are not named", async () => {
    const check = await createCheck(test);
    const labels = async () =>
      (
        await test.services
          .knex("checkLabels")
          .join("checks", "checks.key", "checkKey")
          .where({ id: check.id })
      )
        .map(({ label }) => label)
        .sort();
    await outcomesOf({ ids: [check.id], action: "add_labels", labels: ["shop", "team:a"] });
    await outcomesOf({ ids: [check.id], action: "add_labels", labels: ["team:a", "eu"] });
    expect(await labels()).toEqual(["eu", "shop", "team:a"]);
    await outcomesOf({ ids: [check.id], action: "remove_labels", labels: ["shop", "never-there"] });
    expect(await labels()).toEqual(["eu", "team:a"]);
    for (let i = 0; i < 5; i++)
      await outcomesOf({
        ids: [check.id],
        action: "add_labels",
        labels: Array.from({ length: 20 }, (_, n) => `l${i * 20 + n}`),
      }).then((outcomes) => expect(outcomes[0]?.error).toBe(i < 4 ? null : "labels: at most 100 labels"));
    expect((await labels()).length).toBe(82);
  });

  it("are run, until the limit of triggered runs refuses", async () => {
    const locations = HOSTED_LOCATIONS.map(({ id }) => id);
    const allowed = Math.floor(TRIGGER_LIMITS.teamRunsMax / locations.length);
    const checks = [];
    for (let i = 0; i <= allowed; i++) checks.push(await createCheck(test, { enabled: false, locations }));
    const outcomes = await outcomesOf({ ids: checks.map(({ id }) => id), action: "run" });
    expect(outcomes.slice(0, allowed).every(({ status }) => status === "done")).toBe(true);
    expect(outcomes.at(-1)).toMatchObject({
      status: "refused",
      code: "rate_limited",
      error: expect.stringContaining("Too many triggers"),
    });
  });

  it("are deleted; those of another team, unknown and deleted ones are not found, and keep none from it", async () => {
    const [mine, other] = [await createCheck(test), await createCheck(test)];
    const former = test.team;
    test.team = await test.createTeam();
    const foreign = await createCheck(test);
    const theirs = test.team;
    test.team = former;
    const unknown = newId("check");
    const ids = [foreign.id, mine.id, unknown, other.id];
    const outcomes = await outcomesOf({ ids, action: "delete" });
    expect(outcomes.map(({ id, status, code }) => [id, status, code])).toEqual([
      [foreign.id, "refused", "not_found"],
      [mine.id, "done", null],
      [unknown, "refused", "not_found"],
      [other.id, "done", null],
    ]);
    expect((await test.call("GET", `/api/checks/${foreign.id}`, undefined, theirs.byKey)).status).toBe(200);
    expect((await outcomesOf({ ids: [mine.id], action: "delete" }))[0]?.error).toBe("Check not found");
  });

  it("are answered for one by one when the service fails with one of them", async () => {
    const [first, second] = [await createCheck(test), await createCheck(test)];
    const failing = {
      end: async (_ctx: unknown, _trx: unknown, checkKey: number) => {
        const check = await test.services.knex("checks").where({ key: checkKey }).first();
        if (check.id === first.id) throw new Error("the connection is gone");
      },
    };
    const { outcomes } = await changeChecks(
      { services: test.services, teamId: test.team.teamId, author: OPERATOR },
      { bulk: { ids: [first.id, second.id], action: "delete" }, dependents: [failing] },
    );
    expect(outcomes.map(({ status, code }) => [status, code])).toEqual([
      ["refused", "unavailable"],
      ["done", null],
    ]);
    expect((await read(first)).id).toBe(first.id);
  });

  it("are begun for a while only; the rest is named, and unchanged", async () => {
    const [first, second] = [await createCheck(test), await createCheck(test)];
    const isSlow = { end: async () => void test.clock.advance(21_000) };
    const { outcomes } = await changeChecks(
      { services: test.services, teamId: test.team.teamId, author: OPERATOR },
      { bulk: { ids: [first.id, second.id], action: "delete" }, dependents: [isSlow] },
    );
    expect(outcomes.map(({ status }) => status)).toEqual(["done", "not_tried"]);
    expect((await read(second)).id).toBe(second.id);
  });
});

describe("what is asked for wrongly", () => {
  const id = newId("check");
  it.each([
    [{ ids: [], action: "pause" }, "ids", "at least one check"],
    [
      { ids: Array.from({ length: BULK_CHECKS_MAX + 1 }, () => newId("check")), action: "pause" },
      "ids",
      "at most 500 checks",
    ],
    [{ ids: [id, id], action: "pause" }, "ids", "twice"],
    [{ ids: [id], action: "set_frequency", frequencySeconds: 1 }, "frequencySeconds", "10"],
    [{ ids: [id], action: "add_labels" }, "labels", ""],
    [{ ids: [id], action: "explode" }, "action", "pause"],
  ])("%# is refused by its field", async (body, field, reason) => {
    const { status, body: answer } = await bulk(body);
    expect(status).toBe(400);
    expect(JSON.stringify(answer.details.fieldErrors[field])).toContain(reason);
  });
});
