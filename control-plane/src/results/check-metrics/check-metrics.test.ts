import { spawnSync } from "node:child_process";
import { CHECK_METRICS_MAX, type Check, resultRoutes } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aCheck, aResult, keyOfCheck, keyOfLocation, storeResults } from "../../../test-support/builders.ts";
import { registerLabelRoutes } from "../../checks/labels/routes.ts";
import { seedHostedLocations } from "../../checks/locations/seed.ts";
import { registerCheckRoutes } from "../../checks/routes.ts";
import { registerResultRoutes } from "../routes.ts";

const MINUTE_MS = 60_000;

let test: TestApp;
let east: number;
let west: number;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerLabelRoutes(app, services, []);
      registerResultRoutes(app, services);
    },
  });
  const { knex } = test.services;
  await seedHostedLocations(knex);
  east = await keyOfLocation(knex, "loc_us_east");
  west = await keyOfLocation(knex, "loc_us_west");
});
afterAll(() => test.close());
beforeEach(async () => {
  await test.services.knex("checks").del();
});

type Changes = Parameters<typeof aCheck>[0];

async function createCheck(changes: Changes = {}): Promise<Check & { key: number }> {
  const locations = ["loc_us_east", "loc_us_west"];
  const { body } = await test.call("POST", "/api/checks", aCheck({ locations, ...changes }));
  return { ...body.check, key: await keyOfCheck(test.services.knex, body.check.id) };
}

const store = (
  check: { key: number },
  locationKey: number,
  { ageMs = 1_000, ...changes }: { ageMs?: number } & Record<string, unknown> = {},
) =>
  storeResults(test.services.knex, [
    aResult({ checkKey: check.key, locationKey, slotMs: test.clock.nowMs() - ageMs }, changes),
  ]);

async function scrape(query = "", headers = test.team.byKey) {
  const answer = await test.app.inject({ url: `${resultRoutes.getMetrics.path}${query}`, headers });
  return { ...answer, text: answer.body, contentType: answer.headers["content-type"] };
}

/** Returns samples of a metric as `labels value`, without what is the same in all. */
const samplesOf = (text: string, metric: string) =>
  text.split("\n").filter((line) => line.startsWith(`${metric}{`));

it("shows the newest result of each location, metric by metric", async () => {
  const check = await createCheck({
    name: 'Shop "EU"\\',
    httpConfig: { url: "https://shop.example/?api_key=s3cret" },
  });
  await store(check, east, { ageMs: 61_000, status: 2 });
  await store(check, east, {
    responseTimeUs: 1_234_567,
    dnsLookupUs: 2_000,
    ttfbUs: 900_000,
    httpStatusCode: 204,
  });
  await store(check, west, { status: 4, httpStatusCode: null });
  const { text, contentType, statusCode } = await scrape();
  expect([statusCode, contentType]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  expect(text).not.toContain("s3cret");
  const labels = (location: string) =>
    `instance="https://shop.example/?api_key=***REDACTED***",check_id="${check.id}",check_name="Shop \\"EU\\"\\\\",check_type="http",location="${location}"`;
  expect(samplesOf(text, "probe_success")).toEqual([
    `probe_success{${labels("loc_us_east")}} 1`,
    `probe_success{${labels("loc_us_west")}} 0`,
  ]);
  expect(samplesOf(text, "probe_duration_seconds")[0]).toBe(
    `probe_duration_seconds{${labels("loc_us_east")}} 1.234567`,
  );
  const phases = samplesOf(text, "probe_http_duration_seconds").filter((line) => line.includes("us_east"));
  expect(phases).toContain(`probe_http_duration_seconds{${labels("loc_us_east")},phase="processing"} 0.9`);
  expect(samplesOf(text, "probe_http_status_code").map((line) => line.split("} ")[1])).toEqual(["204"]);
  const names = text.split("\n").flatMap((line) => /^(\w+)\{/.exec(line)?.[1] ?? []);
  expect(names).toEqual([...new Set(names)].flatMap((name) => names.filter((one) => one === name)));
});

it("is text that Prometheus takes", async ({ skip }) => {
  const names = ['a "quoted" name', "back\\slash", "two\nlines", "ünïcödé ☂", "x".repeat(100)];
  for (const name of names) {
    const check = await createCheck({ name: name.replace("\n", " ") });
    await store(check, east);
    await test.services.knex("checks").where({ key: check.key }).update({ name });
  }
  const { text } = await scrape();
  const judged = spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" });
  if (judged.error) skip("promtool is not installed (Debian: prometheus)");
  expect(`${judged.stdout}${judged.stderr}`).toBe("");
  expect(judged.status).toBe(0);
});

it("tells when the certificate that a location saw last ends", async () => {
  const check = await createCheck();
  await store(check, east);
  const seen = (firstSlotMs: number, validTo: string) => ({
    checkKey: check.key,
    locationKey: east,
    firstSlotMs,
    fingerprintSha256: validTo,
    facts: JSON.stringify({ host: "x", validTo }),
  });
  await test.services
    .knex("tlsObservations")
    .insert([seen(1, "2026-01-01T00:00:00.000Z"), seen(2, "2027-01-01T00:00:00.000Z")]);
  const [sample] = samplesOf((await scrape()).text, "probe_ssl_earliest_cert_expiry");
  expect(sample?.split("} ")[1]).toBe(String(Date.UTC(2027, 0, 1) / 1000));
});

it("leaves out results that say nothing of the present, checks that don't run, and other teams", async () => {
  const at = (frequency: number) => createCheck({ frequencySeconds: frequency } as Changes);
  const [minute, hour, disabled] = [await at(60), await at(3_600), await at(60)];
  await store(minute, east, { ageMs: 4 * MINUTE_MS + 1_000 });
  await store(hour, east, { ageMs: 150 * MINUTE_MS });
  await store(disabled, east);
  await test.call("PUT", `/api/checks/${disabled.id}`, { enabled: false });
  const seen = samplesOf((await scrape()).text, "probe_success");
  expect(seen).toEqual([expect.stringContaining(hour.id)]);
  const other = await test.createTeam();
  expect((await scrape("", other.byKey)).text).toBe("");
});

it("answers only who may read the team's checks, and only those with a label on request", async () => {
  expect((await scrape("", {} as typeof test.team.byKey)).statusCode).toBe(401);
  const [pay, plain] = [await createCheck(), await createCheck()];
  for (const check of [pay, plain]) await store(check, east);
  await test.call("PUT", `/api/checks/${pay.id}/labels`, { labels: ["team:pay", "x"] });
  expect(samplesOf((await scrape("?label=team:pay")).text, "probe_success")).toEqual([
    expect.stringContaining(pay.id),
  ]);
  expect((await scrape("?label=none")).text).toBe("");
  expect((await scrape("?label=%22")).statusCode).toBe(400);
});

it("refuses more than one answer holds, and says what to do; none is read twice or lost over several parts", async () => {
  const check = await createCheck();
  const { knex } = test.services;
  const many = async (count: number, locations: number) => {
    await knex("checks").whereNot({ key: check.key }).del();
    await knex.raw(
      `INSERT INTO checks (id, team_id, name, type, config, frequency_seconds, location_ids, enabled, revision)
       SELECT 'chk_' || n, team_id, 'n' || n, type, config, frequency_seconds,
         array_fill(location_ids[1], ARRAY[?::integer]), true, 1
       FROM checks, generate_series(1, ?::integer) n WHERE key = ?`,
      [locations, count, check.key],
    );
  };
  await many(1_300, 1);
  const keys = await knex("checks").pluck("key");
  await storeResults(
    knex,
    keys.map((checkKey) => aResult({ checkKey, locationKey: east, slotMs: test.clock.nowMs() - 1_000 })),
  );
  const seen = samplesOf((await scrape()).text, "probe_success");
  expect(seen).toHaveLength(keys.length);
  expect(new Set(seen).size).toBe(keys.length);
  await many(501, CHECK_METRICS_MAX / 500);
  const { statusCode, text } = await scrape();
  expect([statusCode, JSON.parse(text).error]).toEqual([400, expect.anything()]);
  expect(text).toContain("by label");
});
