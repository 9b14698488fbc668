import { HOUR_MS } from "@svc/contract";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createTestDatabase, openSecondPool, type TestDatabase } from "../../test-support/database.ts";
import { type BackgroundJobOptions, startBackgroundJob } from "./background.ts";
import { JobLocks } from "./db/job-locks.ts";
import type { Timing } from "./timing.ts";

const LOCK_KEY = 98_123;
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ template: false });
});
afterAll(() => database?.drop());

/** A job on a clock of the test's own, which waits for its next turn until `turn` ends the wait. */
function aJob(work: () => Promise<void>, more: Partial<BackgroundJobOptions> = {}) {
  const lines: { level: number; msg: string; job: string; failures?: number; err?: { message: string } }[] =
    [];
  let nowMs = 0;
  let wakeUp: (() => void) | undefined;
  const timing: Timing = {
    monotonicMs: () => nowMs,
    setTimer: (callback) => {
      wakeUp = callback;
      return () => {};
    },
  };
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const { knex } = database;
  const job = startBackgroundJob({ name: "mails", intervalMs: 1_000, knex, log, work, timing, ...more });
  const rests = () => vi.waitFor(() => expect(wakeUp).toBeDefined(), { timeout: 60_000 });
  return {
    job,
    rests,
    /** Begins the next attempt after a time, and resolves when it has ended. */
    turn: async (ms = 1_000) => {
      await rests();
      nowMs += ms;
      const callback = wakeUp;
      wakeUp = undefined;
      callback?.();
      await rests();
    },
    seen: () => lines.splice(0).map(({ level, err, failures }) => [level, err?.message, failures]),
  };
}

it("failures of a job are logged as they begin, change, last and end, with its name", async () => {
  let reason: string | undefined = "away";
  const { job, rests, turn, seen } = aJob(async () => {
    if (reason !== undefined) throw new Error(reason);
  });
  await rests();
  for (let i = 0; i < 3; i++) await turn();
  expect(seen()).toEqual([[40, "away", undefined]]);
  reason = "full";
  await turn();
  expect(seen()).toEqual([[40, "full", 5]]);
  await turn(HOUR_MS);
  expect(seen()).toEqual([[40, "full", 6]]);
  reason = undefined;
  for (let i = 0; i < 2; i++) await turn();
  expect(seen()).toEqual([[30, undefined, 6]]);
  await job.close();
});

it("a job says that it works again only once it did the work itself, not while another replica does", async () => {
  const second = await openSecondPool(database, 2);
  const theirs = JobLocks.of(second);
  let isFailing = true;
  const { job, rests, turn, seen } = aJob(
    async () => {
      if (isFailing) throw new Error("away");
    },
    { lockKey: LOCK_KEY },
  );
  try {
    await rests();
    isFailing = false;
    await theirs.whileHolding(LOCK_KEY, () => turn());
    expect(seen()).toEqual([[40, "away", undefined]]);
    await turn();
    expect(seen()).toEqual([[30, undefined, 1]]);
  } finally {
    await job.close();
    await theirs.release();
    await second.destroy();
  }
});

it("a lock that can't be asked for is logged until it can, though another replica has it then", async () => {
  const second = await openSecondPool(database, 2);
  const theirs = JobLocks.of(second);
  let isAway = true;
  const client = {
    acquireRawConnection: () =>
      isAway ? Promise.reject(new Error("refused")) : database.knex.client.acquireRawConnection(),
  };
  const { job, rests, turn, seen } = aJob(async () => {}, { lockKey: LOCK_KEY, knex: { client } as never });
  try {
    await rests();
    await turn();
    expect(seen()).toEqual([[40, "refused", undefined]]);
    isAway = false;
    await theirs.whileHolding(LOCK_KEY, () => turn());
    expect(seen()).toEqual([[30, undefined, 2]]);
    // A later outage within the hour is a series of its own.
    isAway = true;
    const pids = (rows: { pid: number }[]) => rows.map(({ pid }) => pid);
    const { rows } = await second.raw(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%try_advisory_lock%' AND pid <> pg_backend_pid()",
    );
    for (const pid of pids(rows)) await second.raw("SELECT pg_terminate_backend(?)", [pid]);
    await vi.waitFor(async () => {
      await turn();
      const [first] = seen();
      expect([first?.[0], first?.[2]]).toEqual([40, undefined]);
    });
  } finally {
    await job.close();
    await theirs.release();
    await second.destroy();
  }
});

it("a job that is closed in the midst of its work ends without a warning", async () => {
  const { job, seen } = aJob(() => new Promise(() => {}), {
    work: (signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
  });
  await job.close();
  expect(seen()).toEqual([]);
});
