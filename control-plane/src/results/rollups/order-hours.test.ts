import { DAY_MS, HOUR_MS } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, test as everywhere, expect } from "vitest";
import { createTestDatabase, isOnCitus, type TestDatabase } from "../../../test-support/database.ts";
import { dayOf } from "../retention/partitions.ts";
import { nextStretch, orderHours } from "./order-hours.ts";
import { lockProgress, saveProgress } from "./store.ts";

// Rows of a table on several workers have no common order of their places.
const test = everywhere.skipIf(isOnCitus);

const CHECKS = 30;
const LOCATION_KEYS = [3, 9];
const nowMs = Date.UTC(2026, 2, 20, 5);
const todayMs = dayOf(nowMs);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const { knex } = database;
  await knex.raw("INSERT INTO teams (id, name) VALUES ('team_order', 'Order')");
  await knex.raw(
    `INSERT INTO checks (id, team_id, name, type, config, frequency_seconds, location_ids, enabled, revision)
     SELECT 'chk_' || n, 'team_order', 'c', 'http', '{}', 60, '{}', true, 1 FROM generate_series(1, ${CHECKS}) n`,
  );
  await knex.raw(
    `INSERT INTO check_revisions (check_key, revision, frequency_seconds, location_keys, enabled, effective_from_ms)
     SELECT key, 1, 60, ?::integer[], true, 0 FROM checks`,
    [LOCATION_KEYS],
  );
});
afterAll(() => database?.drop());

/** Three days of hours, today included, as they are computed: hour by hour for all checks. */
beforeEach(async () => {
  const { knex } = database;
  await knex.raw("TRUNCATE rollups");
  await knex.raw("DELETE FROM job_progress");
  await knex.transaction((trx) => lockProgress(trx, todayMs + DAY_MS));
  for (let hourMs = todayMs - 2 * DAY_MS; hourMs < todayMs + DAY_MS; hourMs += HOUR_MS)
    await knex.raw(
      `INSERT INTO rollups (bucket_seconds, bucket_ms, check_key, location_key, success_count, failure_count, error_count,
         timeout_count, response_time_sum_us, response_time_min_us, response_time_max_us, response_time_histogram, phase_sums_us)
       SELECT 3600, ?::bigint, c.key, l, 60 - c.key % 3, c.key % 3, 0, 0, c.key * 1000, 1, 9,
         decode(repeat('00002a10', 20), 'hex'), '{1,2,3,4,5}'
       FROM checks c, unnest(?::integer[]) l ORDER BY c.key DESC`,
      [hourMs, LOCATION_KEYS],
    );
});

const readAll = async () =>
  (await database.knex.raw("SELECT r.* FROM rollups r ORDER BY check_key, location_key, bucket_ms")).rows;

/** Pages of the table on which the hours of each check and location lie, on average, of those from `fromMs` to before `toMs`. */
async function pagesEach(fromMs: number, toMs: number): Promise<number> {
  const { rows } = await database.knex.raw(
    `SELECT avg(pages)::float8 AS pages FROM (SELECT count(DISTINCT (ctid::text::point)[0]) AS pages FROM rollups_1h
       WHERE bucket_ms >= ? AND bucket_ms < ? GROUP BY check_key, location_key) p`,
    [fromMs, toMs],
  );
  return rows[0].pages;
}

const readDoneUntil = async () =>
  (await database.knex("jobProgress").where({ job: "rollup_order" }).first())?.doneUntilMs;
const positions = async () =>
  (await database.knex.raw("SELECT ctid::text FROM rollups_1h ORDER BY check_key, location_key, bucket_ms"))
    .rows;

test("the hours of the days that have ended lie together for each check and location, and are the same", async () => {
  const before = await readAll();
  const pagesBefore = await pagesEach(0, todayMs);
  await orderHours(database.knex, nowMs, { checksAtOnce: 7 });
  expect(await readAll()).toEqual(before);
  expect(pagesBefore).toBeGreaterThan(40);
  expect(await pagesEach(0, todayMs)).toBeLessThan(6);
});

test("a day is put in order as a whole three hours after its end, and then stays as it lies", async () => {
  const { knex } = database;
  await orderHours(knex, todayMs + 3 * HOUR_MS - 1);
  expect(await readDoneUntil()).toBe(todayMs - 6 * HOUR_MS);
  await orderHours(knex, todayMs + 3 * HOUR_MS);
  expect(await readDoneUntil()).toBe(todayMs);
  const after = await positions();
  await orderHours(knex, todayMs + 7 * HOUR_MS - 1);
  expect(await positions()).toEqual(after);
});

test("the parts of today lie together, each moved once, and in the end the whole day does", async () => {
  const { knex } = database;
  const before = await readAll();
  const tomorrowMs = todayMs + DAY_MS;
  await orderHours(knex, todayMs + 3 * HOUR_MS);
  expect(await pagesEach(todayMs, tomorrowMs)).toBeGreaterThan(20);
  for (const hour of [6, 12, 18]) {
    const untilMs = todayMs + hour * HOUR_MS;
    await orderHours(knex, untilMs + HOUR_MS);
    expect(await readDoneUntil()).toBe(untilMs);
    expect(await pagesEach(untilMs - 6 * HOUR_MS, untilMs)).toBeLessThan(2);
    expect(await pagesEach(untilMs, tomorrowMs)).toBeGreaterThan(5);
    const after = await positions();
    await orderHours(knex, untilMs + 2 * HOUR_MS);
    expect(await positions()).toEqual(after);
  }
  const inParts = await pagesEach(todayMs, todayMs + 18 * HOUR_MS);
  await orderHours(knex, tomorrowMs + 3 * HOUR_MS);
  expect(await pagesEach(todayMs, tomorrowMs)).toBeLessThan(inParts);
  expect(await readAll()).toEqual(before);
});

test("hours that are not computed yet are waited for", async () => {
  const { knex } = database;
  const lateMs = todayMs + 20 * HOUR_MS;
  await saveProgress(knex, todayMs + 6 * HOUR_MS - 1);
  await orderHours(knex, lateMs);
  expect(await readDoneUntil()).toBe(todayMs);
  await saveProgress(knex, todayMs + 12 * HOUR_MS);
  await orderHours(knex, lateMs);
  expect(await readDoneUntil()).toBe(todayMs + 12 * HOUR_MS);
});

test("before the first rollup nothing is put in order", async () => {
  const { knex } = database;
  await knex.raw("DELETE FROM job_progress");
  const before = await positions();
  await orderHours(knex, nowMs);
  expect(await positions()).toEqual(before);
  expect(await knex("jobProgress")).toEqual([]);
});

everywhere.each([
  ["a part an hour after its end", 0, 7, [0, 6]],
  ["no part earlier", 0, 6.99, undefined],
  ["the next part", 6, 13, [6, 12]],
  ["not the last part, which is moved with the day", 18, 26, undefined],
  ["the day three hours after its end, from its begin", 18, 27, [0, 24]],
  ["the day also when none of its parts was put in order", 0, 30, [0, 24]],
  ["the next day after it", 24, 51, [24, 48]],
  ["the day in which an older release stopped, from its begin", 30, 51, [24, 48]],
  ["the next part where an older release stopped", 30, 37, [30, 36]],
] as const)("put in order next is %s", (_title, ordered, now, expected) => {
  const at = (hours: number) => todayMs + hours * HOUR_MS;
  const known = { orderedUntilMs: at(ordered), nowMs: at(now) };
  const stretch = expected && { fromMs: at(expected[0]), toMs: at(expected[1]) };
  expect(nextStretch({ ...known, computedUntilMs: at(now) })).toEqual(stretch);
  if (expected) expect(nextStretch({ ...known, computedUntilMs: at(expected[1]) - 1 })).not.toEqual(stretch);
});

test("a day that was cut short is begun again", async () => {
  const before = await readAll();
  const cut = new AbortController();
  const rest = async () => cut.abort();
  await orderHours(database.knex, nowMs, { checksAtOnce: 7, rest, signal: cut.signal });
  expect(await readDoneUntil()).toBeUndefined();
  expect(await readAll()).toEqual(before);
  await orderHours(database.knex, nowMs, { checksAtOnce: 7 });
  expect(await readAll()).toEqual(before);
  expect(await pagesEach(0, todayMs)).toBeLessThan(6);
});

test("a check whose rows are moved is deleted after that, so that its purge finds them all", async () => {
  const { knex } = database;
  const [first] = await knex("checks").orderBy("key").limit(1);
  const waiting = async () =>
    (await knex.raw("SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted")).rows[0].count;
  let ordered: Promise<void> | undefined;
  let deleted: Promise<unknown> | undefined;
  await knex.transaction(async (trx) => {
    // As a computation of rollups does, until its transaction ends.
    await lockProgress(trx, 0);
    ordered = orderHours(knex, nowMs);
    await expect.poll(waiting).toBe(1);
    deleted = knex("checks")
      .where({ key: first.key })
      .delete()
      .then(() => knex("rollups").where({ checkKey: first.key }).delete());
    await expect.poll(waiting).toBe(2);
  });
  await ordered;
  expect(await deleted).toBe(3 * 24 * LOCATION_KEYS.length);
  expect(await knex("rollups").where({ checkKey: first.key })).toEqual([]);
});
