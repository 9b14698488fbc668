import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test-support/database.ts";
import { JobLocks } from "./job-locks.ts";
import { openPool } from "./pool.ts";

const KEY = 42;
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ template: false });
});
afterAll(() => database.drop());

it("work under many locks needs no more of the pool than the work itself", async () => {
  const knex = openPool(database.url, { poolMax: 1 });
  const locks = JobLocks.of(knex);
  const done: number[] = [];
  await Promise.all(
    [1, 2, 3, 4].map((key) =>
      locks.whileHolding(key, async () => {
        await knex.raw("SELECT 1");
        done.push(key);
      }),
    ),
  );
  expect(done.sort()).toEqual([1, 2, 3, 4]);
  await locks.release();
  await knex.destroy();
});

it("only one of two processes, and one of two jobs in a process, has a lock at a time", async () => {
  const [first, second] = [openPool(database.url, { poolMax: 2 }), openPool(database.url, { poolMax: 2 })];
  const [ours, theirs] = [JobLocks.of(first), JobLocks.of(second)];
  let ran = 0;
  const count = async () => void ran++;
  await ours.whileHolding(KEY, async () => {
    await theirs.whileHolding(KEY, count);
    await JobLocks.of(first).whileHolding(KEY, count);
    expect(ran).toBe(0);
  });
  await theirs.whileHolding(KEY, count);
  expect(ran).toBe(1);
  await Promise.all([ours.release(), ours.release(), theirs.release()]);
  await Promise.all([first.destroy(), second.destroy()]);
});

it("a connection that was cut is opened again, and its locks are free", async () => {
  const knex = openPool(database.url, { poolMax: 2 });
  const locks = JobLocks.of(knex);
  let ran = 0;
  await locks.whileHolding(KEY, async () => {
    await knex.raw(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = ?
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [KEY],
    );
  });
  // The cut may be noticed by the first question only.
  while (ran === 0) await locks.whileHolding(KEY, async () => void ran++).catch(() => undefined);
  expect(ran).toBe(1);
  await locks.release();
  await knex.destroy();
});
