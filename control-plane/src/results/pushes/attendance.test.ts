import { newId } from "@svc/contract";
import { Registry } from "prom-client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, createTestClock, type TestApp } from "../../../test-support/app.ts";
import { openSecondPool } from "../../../test-support/database.ts";
import { createFleetServices, type FleetServices } from "../../app/fleet-services.ts";
import { seedHostedLocations } from "../../checks/locations/seed.ts";
import { registerCheckRoutes } from "../../checks/routes.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import { Attendance } from "./attendance.ts";
import { deliverLeftOutcomes, type PushParts } from "./deliver-outcomes.ts";
import { findOverdue } from "./jobs.ts";
import { registerPushRoutes } from "./routes.ts";

const SECOND_MS = 1000;
const { signal } = new AbortController();

let test: TestApp;
let fleet: FleetServices;
let parts: PushParts;
let other: PushParts;
let closeSecond: () => Promise<void>;

beforeAll(async () => {
  test = await createTestApp({
    clock: createTestClock(Date.now() - 6 * 3600 * SECOND_MS),
    settings: { SVC_RATE_LIMIT_PER_MINUTE: "100000" },
    register: async (app, services) => {
      fleet = createFleetServices(services, { version: "test", registry: new Registry() });
      parts = { services, ingester: fleet.ingester };
      registerCheckRoutes(app, services, []);
      registerPushRoutes(app, parts);
    },
  });
  await seedHostedLocations(test.services.knex);
  const second = await openSecondPool(test.database, 4);
  other = { services: { ...test.services, knex: second }, ingester: fleet.ingester };
  closeSecond = () => second.destroy();
});
afterAll(async () => {
  await closeSecond?.();
  await fleet?.ingester.close(1000);
  await test?.close();
});

const running = new Map<PushParts, Attendance>();
beforeEach(async () => {
  test.clock.advance(60 * SECOND_MS);
  await test.services.knex("pushExpectations").delete();
});
afterEach(async () => {
  for (const replica of [...running.keys()]) await stop(replica);
});

interface Created {
  key: number;
  path: string;
  createdMs: number;
}

async function create(config: object): Promise<Created> {
  const { body } = await test.call("POST", "/api/checks", {
    name: newId("check"),
    type: "heartbeat",
    heartbeatConfig: config,
  });
  const { key } = await test.services.knex("checks").where({ id: body.check.id }).first("key");
  return { key, path: new URL(body.check.pushUrl).pathname, createdMs: test.clock.nowMs() };
}

const storedSlots = async ({ key }: Created) =>
  (await test.services.knex("results").where({ checkKey: key }).pluck<number[]>("slot_ms")).sort(
    (a, b) => a - b,
  );
const expectedMsOf = async ({ key }: Created) =>
  (await test.services.knex("pushExpectations").where({ checkKey: key }).first("expectedMs")).expectedMs;

/** Stores so many checks like one, and returns their keys. */
async function copiesOf({ key }: Created, count: number): Promise<number[]> {
  const { knex } = test.services;
  const columns = await knex("information_schema.columns")
    .where({ tableName: "checks", isGenerated: "NEVER" })
    .whereRaw("table_schema = current_schema()")
    .pluck("column_name");
  const names = columns.join(", ");
  const { rows } = await knex.raw(
    `WITH copies AS (
       INSERT INTO checks (${names}) OVERRIDING SYSTEM VALUE
       SELECT ${columns.map((name: string) => `copy.${name}`).join(", ")}
       FROM checks c, generate_series(1, :count) n, jsonb_populate_record(c, jsonb_build_object(
         'key', c.key + 1000 + n, 'id', c.id || n, 'name', 'copy ' || n, 'push_token_hash', NULL)) copy
       WHERE c.key = :key RETURNING key)
     INSERT INTO push_expectations (check_key, counted_from_ms, expected_ms, overdue_ms, newest_slot_ms)
     SELECT copies.key, counted_from_ms, expected_ms, overdue_ms, counted_from_ms
     FROM copies, push_expectations WHERE check_key = :key RETURNING check_key`,
    { key, count },
  );
  return rows.map((row: { check_key: number }) => Number(row.check_key));
}

/** One round of a replica's jobs; a replica that has none yet starts. */
async function turn(replica: PushParts): Promise<void> {
  const attendance = running.get(replica) ?? new Attendance(replica);
  running.set(replica, attendance);
  const nowMs = await attendance.note();
  if (nowMs !== undefined) await findOverdue(replica, { nowMs, signal });
  await deliverLeftOutcomes(replica, signal);
}
async function stop(replica: PushParts): Promise<void> {
  await running.get(replica)?.close();
  running.delete(replica);
}
/** Lets time go by in which these replicas work. */
async function pass(seconds: number, replicas: readonly PushParts[]): Promise<void> {
  for (let left = seconds; left > 0; left -= 2) {
    test.clock.advance(Math.min(2, left) * SECOND_MS);
    for (const replica of replicas) await turn(replica);
  }
}
const sessionsThatAttend = async () => {
  const { rows } = await test.services.knex.raw(
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ?
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [ADVISORY_LOCKS.pushAttendance],
  );
  return rows as { pid: number }[];
};

describe("a service that was stopped as a whole", () => {
  // The report was expected after 30 s, and is overdue after 40 s. The service stops after 20 s, and its report came to nobody.
  it.each([1, 5, 25, 600])("for %i s expects reports anew from its start on", async (seconds) => {
    await turn(parts);
    const check = await create({ periodSeconds: 30, graceSeconds: 10 });
    await pass(19 + (seconds === 1 ? 10 : 0), [parts]);
    await stop(parts);
    test.clock.advance(seconds * SECOND_MS);
    await turn(parts);
    const startedMs = test.clock.nowMs();
    expect(await expectedMsOf(check)).toBe(startedMs + 30_000);
    await pass(38, [parts]);
    expect(await storedSlots(check)).toEqual([]);
    await pass(2, [parts]);
    expect(await storedSlots(check)).toEqual([startedMs + 30_000]);
  });

  it("expects nothing anew that was not to come then", async () => {
    await turn(parts);
    const [before, later] = [
      await create({ periodSeconds: 30, graceSeconds: 10 }),
      await create({ periodSeconds: 9_000, graceSeconds: 60 }),
    ];
    await pass(44, [parts]);
    await stop(parts);
    test.clock.advance(3600 * SECOND_MS);
    await turn(parts);
    expect(await storedSlots(before)).toEqual([before.createdMs + 30_000]);
    expect(await expectedMsOf(later)).toBe(later.createdMs + 9_000_000);
  });

  it("finds a dead job however often it restarts right when the report is to come, after one expectation anew", async () => {
    await turn(parts);
    const check = await create({ periodSeconds: 600, graceSeconds: 60 });
    await pass(598, [parts]);
    const restart = async () => {
      await stop(parts);
      test.clock.advance(4 * SECOND_MS);
      await turn(parts);
    };
    await restart();
    const anewMs = test.clock.nowMs();
    expect(await expectedMsOf(check)).toBe(anewMs + 600_000);
    await pass(598, [parts]);
    for (let i = 0; i < 3; i++) {
      await restart();
      await pass(10, [parts]);
    }
    expect(await storedSlots(check)).toEqual([]);
    expect(await expectedMsOf(check)).toBe(anewMs + 600_000);
    await pass(60, [parts]);
    expect(await storedSlots(check)).toEqual([anewMs + 600_000]);
  });

  it("expects nothing anew of a check whose job reported right before the stop", async () => {
    await turn(parts);
    const check = await create({ periodSeconds: 60, graceSeconds: 10 });
    await pass(58, [parts]);
    await test.call("POST", check.path, undefined, {});
    const reportedMs = test.clock.nowMs();
    await stop(parts);
    test.clock.advance(5 * SECOND_MS);
    await turn(other);
    await pass(72, [other]);
    expect(await storedSlots(check)).toEqual([reportedMs, reportedMs + 60_000]);
  });

  it("corrects what is expected of hundreds of checks before any replica judges one", async () => {
    await turn(parts);
    const check = await create({ periodSeconds: 30, graceSeconds: 10 });
    await pass(20, [parts]);
    const checks = await copiesOf(check, 250);
    await stop(parts);
    test.clock.advance(25 * SECOND_MS);
    await Promise.all([turn(parts), turn(other), turn(parts), turn(other)]);
    expect(
      await test.services.knex("pushExpectations").whereIn("checkKey", checks).distinct("expectedMs"),
    ).toEqual([{ expectedMs: test.clock.nowMs() + 30_000 }]);
    expect(await test.services.knex("results").whereIn("checkKey", checks)).toEqual([]);
  });
});

describe("a service of which one replica stays up", () => {
  it.each([5, 25])("was never away while another one restarts for %i s", async (seconds) => {
    await turn(parts);
    await turn(other);
    const check = await create({ periodSeconds: 30, graceSeconds: 10 });
    await pass(20, [parts, other]);
    await stop(parts);
    await pass(seconds, [other]);
    await turn(parts);
    await pass(40, [parts, other]);
    expect(await storedSlots(check)).toContain(check.createdMs + 30_000);
  });

  it("was never away though the connections of one or of all are cut for a moment, but was when they are for longer", async () => {
    await turn(parts);
    await turn(other);
    const check = await create({ periodSeconds: 30, graceSeconds: 10 });
    await pass(20, [parts, other]);
    const [first] = await sessionsThatAttend();
    const cut = (pid = 0) => test.services.knex.raw("SELECT pg_terminate_backend(CAST(? AS integer))", [pid]);
    const turnUntilBoth = async () => {
      while ((await sessionsThatAttend()).length < 2)
        for (const replica of [parts, other]) await turn(replica).catch(() => undefined);
    };
    await cut(first?.pid);
    await turnUntilBoth();
    expect(await expectedMsOf(check)).toBe(check.createdMs + 30_000);
    const cutAll = async (seconds: number) => {
      test.clock.advance(seconds * SECOND_MS);
      for (const { pid } of await sessionsThatAttend()) await cut(pid);
      while ((await sessionsThatAttend()).length > 0);
      await turnUntilBoth();
    };
    await cutAll(6);
    expect(await expectedMsOf(check)).toBe(check.createdMs + 30_000);
    await cutAll(11);
    expect(await expectedMsOf(check)).toBe(test.clock.nowMs() + 30_000);
  });
});

it("a service that stood still for longer than a few notes was away, and one that did so for less was not", async () => {
  await turn(parts);
  const check = await create({ periodSeconds: 30, graceSeconds: 10 });
  await pass(20, [parts]);
  test.clock.advance(10 * SECOND_MS);
  await turn(parts);
  expect(await expectedMsOf(check)).toBe(check.createdMs + 30_000);
  test.clock.advance(10 * SECOND_MS + 1);
  await turn(parts);
  expect(await expectedMsOf(check)).toBe(test.clock.nowMs() + 30_000);
});

it("a replica that can't correct what is expected judges nothing, and does both with its next turn", async () => {
  await turn(parts);
  const check = await create({ periodSeconds: 30, graceSeconds: 10 });
  await pass(20, [parts]);
  await stop(parts);
  test.clock.advance(25 * SECOND_MS);
  const broken = { ...parts, services: { ...parts.services, config: undefined as never } };
  await expect(turn(broken)).rejects.toThrow();
  await stop(broken);
  await turn(other);
  expect(await storedSlots(check)).toEqual([]);
  expect(await expectedMsOf(check)).toBe(test.clock.nowMs() + 30_000);
});
