import { EXPORTED_CHECKS_MAX } from "@svc/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type AlertTest, createAlertTest } from "../../test-support/alerting.ts";
import { registerConfigRoutes } from "./routes.ts";

let test: AlertTest;
beforeAll(async () => {
  test = await createAlertTest({ register: registerConfigRoutes });
});
afterAll(() => test.close());

const asCode = (query = "") => test.call("GET", `/api/as-code${query}`);

it("is an empty project for a team that has nothing", async () => {
  const { body } = await asCode("?project=shop");
  expect(body).toMatchObject({
    secrets: [expect.stringMatching(/^SVC_SECRET_\w+_URL$/)],
    unmanaged: [],
    reason: null,
  });
  expect(body.files[0].text).toContain("project: shop");
});

it("says which name several records have, instead of a config that would mean another one", async () => {
  const check = {
    name: "Shop",
    type: "http",
    httpConfig: { url: "https://shop.example/" },
    locations: ["loc_us_east"],
  };
  for (let i = 0; i < 2; i++) expect((await test.call("POST", "/api/checks", check)).status).toBe(201);
  const { body } = await asCode();
  expect([body.files, body.reason]).toEqual([[], expect.stringContaining("2 monitors named Shop")]);
});

it("leaves more checks than it writes to the command line", async () => {
  const { knex } = test.services;
  const columns =
    "id, team_id, name, type, frequency_seconds, location_ids, enabled, config, revision, created_at";
  await knex.raw(
    `INSERT INTO checks (${columns})
     SELECT 'chk_' || lpad(n::text, 26, '0'), team_id, name || n, type, frequency_seconds, location_ids, enabled, config,
       revision, created_at + n * interval '1 s'
     FROM checks, generate_series(1, ?) AS n WHERE key = (SELECT min(key) FROM checks)`,
    [EXPORTED_CHECKS_MAX],
  );
  const { body } = await asCode();
  expect([body.files, body.reason]).toEqual([[], expect.stringContaining("run svc pull")]);
});
