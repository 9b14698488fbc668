import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AlertTest, createAlertTest } from "../../../test-support/alerting.ts";
import { createTestClock } from "../../../test-support/app.ts";
import { registerEventRoutes } from "./routes.ts";

let test: AlertTest;

beforeAll(async () => {
  test = await createAlertTest({ register: registerEventRoutes, clock: createTestClock(Date.now()) });
});
afterAll(() => test.close());

/** Makes a check whose slots come at this frequency, which may lie below the smallest that the API takes. */
async function newCheckEvery(frequencySeconds: number): Promise<string> {
  const { id, key } = await test.newCheck({ frequencySeconds: 60 });
  const { knex } = test.services;
  await knex("checks").where({ key }).update({ frequencySeconds });
  await knex("check_revisions").where({ checkKey: key }).update({ frequencySeconds });
  return id;
}

describe("the feed answers whatever the frequencies of the checks are", () => {
  it.each([7, 13, 61, 70, 97, 110])(
    "a check every %i s, by itself and among the others",
    async (frequencySeconds) => {
      const id = await newCheckEvery(frequencySeconds);
      for (const range of ["1h", "24h", "30d"])
        for (const limit of [1, 7, 50, 199])
          for (const of of ["", `&checkId=${id}`]) {
            const { status } = await test.call("GET", `/api/events?range=${range}&limit=${limit}${of}`);
            expect([range, limit, status]).toEqual([range, limit, 200]);
          }
    },
  );
});
