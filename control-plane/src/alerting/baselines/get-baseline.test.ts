import { hourOfWeek } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type AlertTest, createAlertTest } from "../../../test-support/alerting.ts";
import { keyOfCheck, keyOfLocation } from "../../../test-support/builders.ts";
import { SAMPLES_MIN } from "./fold.ts";

let test: AlertTest;
beforeAll(async () => {
  test = await createAlertTest();
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
});

async function store(checkId: string, location: string, row: object) {
  await test.services.knex("baselines").insert({
    checkKey: await keyOfCheck(test.services.knex, checkId),
    locationKey: await keyOfLocation(test.services.knex, location),
    metric: "response_time",
    sampleCount: SAMPLES_MIN,
    mean: 100,
    squares: 100 * (SAMPLES_MIN - 1),
    ...row,
  });
}

it("has mean and deviation of the hours that have enough samples, by location", async () => {
  const check = await test.newCheck();
  await store(check.id, "loc_us_east", { hourOfWeek: 0 });
  await store(check.id, "loc_us_east", { hourOfWeek: 167, mean: 250, squares: 0 });
  await store(check.id, "loc_us_east", { hourOfWeek: 1, sampleCount: SAMPLES_MIN - 1 });
  await store(check.id, "loc_us_west", { hourOfWeek: 3, sampleCount: 1 });
  await store(check.id, "loc_us_east", { hourOfWeek: 5, metric: "ttfb" });
  const { body } = await test.call("GET", `/api/checks/${check.id}/baseline`);
  expect(body.locations.map(({ locationId }: { locationId: string }) => locationId)).toEqual(["loc_us_east"]);
  const [{ mean, deviation }] = body.locations;
  expect([mean.length, mean[0], mean[1], mean[167]]).toEqual([168, 100, null, 250]);
  // Without any spread it is the least that counts: a hundredth of the mean.
  expect([deviation[0], deviation[1], deviation[167]]).toEqual([10, null, 2.5]);
  const { body: ttfb } = await test.call("GET", `/api/checks/${check.id}/baseline?metric=ttfb`);
  expect(ttfb.locations[0].mean[5]).toBe(100);
});

it("is empty for a check that no rule needs one of, and not there for another team", async () => {
  const check = await test.newCheck();
  const path = `/api/checks/${check.id}/baseline`;
  expect((await test.call("GET", path)).body).toEqual({ metric: "response_time", locations: [] });
  const other = await test.createTeam();
  expect((await test.call("GET", path, undefined, other.byKey)).status).toBe(404);
  const { status, body } = await test.call("GET", `${path}?metric=weather`);
  expect([status, Object.keys(body.details.fieldErrors)]).toEqual([400, ["metric"]]);
});

it.each([
  ["2026-11-23T00:00:00Z", 0],
  ["2026-11-29T23:59:59Z", 167],
  ["1970-01-01T00:00:00Z", 72],
])("%s is in hour %d of the week", (at, hour) => {
  expect(hourOfWeek(Date.parse(at))).toBe(hour);
});
