import { HOUR_MS } from "@svc/contract";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test-support/database.ts";
import { emptyColumns } from "../ingest/columns.ts";
import { writeGroup } from "../ingest/write-group.ts";
import { ensurePartitions } from "../retention/partitions.ts";
import { BUCKET_MS, bucketOf, hourOf } from "./buckets.ts";
import { rollUp } from "./roll-up.ts";
import { readDatabaseNow } from "./store.ts";
import { SETTLE_MS } from "./timing.ts";

let database: TestDatabase;
let nowMs: number;
let nextCheckKey = 1_000;

beforeAll(async () => {
  database = await createTestDatabase();
  nowMs = await readDatabaseNow(database.knex);
  await ensurePartitions(database.knex, nowMs - 4 * 86_400_000, nowMs + 86_400_000);
});
afterAll(() => database?.drop());

interface Sample {
  locationKey: number;
  slotMs: number;
  status: number;
  responseTimeUs: number;
}

async function store(checkKey: number, samples: readonly Sample[], into = database): Promise<void> {
  const columns = emptyColumns();
  for (const sample of samples) {
    columns.checkKeys.push(checkKey);
    columns.locationKeys.push(sample.locationKey);
    columns.slotsMs.push(sample.slotMs);
    columns.runnerKeys.push(1);
    columns.startDelaysMs.push(0);
    columns.elapsedUs.push(sample.responseTimeUs);
    columns.responseTimeUs.push(sample.responseTimeUs);
    columns.dnsLookupUs.push(-1);
    columns.tcpConnectUs.push(-1);
    columns.tlsHandshakeUs.push(-1);
    columns.ttfbUs.push(-1);
    columns.contentTransferUs.push(-1);
    columns.httpStatusCodes.push(200);
    columns.statuses.push(sample.status);
    columns.traceIds.push("NULL");
  }
  const buckets = [...new Set(samples.map((sample) => bucketOf(sample.slotMs)))];
  await writeGroup(into.knex, { columns, details: [], facts: [] }, { bucketsMs: buckets });
}

/** The rollups of the samples, by the plainest means. */
function bruteForce(samples: readonly Sample[], bucketSeconds: number, bucketStart: (ms: number) => number) {
  const buckets = new Map<string, Sample[]>();
  for (const sample of samples) {
    const id = `${bucketStart(sample.slotMs)}:${sample.locationKey}`;
    buckets.set(id, [...(buckets.get(id) ?? []), sample]);
  }
  return [...buckets.entries()].map(([id, members]) => {
    const [bucketMs, locationKey] = id.split(":").map(Number);
    const times = members.map((member) => member.responseTimeUs);
    const count = (status: number) => members.filter((member) => member.status === status).length;
    return {
      bucketSeconds,
      bucketMs,
      locationKey,
      successCount: count(1),
      failureCount: count(2),
      errorCount: count(3),
      timeoutCount: count(4),
      responseTimeSumUs: times.reduce((a, b) => a + b, 0),
      responseTimeMinUs: Math.min(...times),
      responseTimeMaxUs: Math.max(...times),
    };
  });
}

/** Results that a stored distribution counts. */
function countOf(distribution: Buffer): number {
  let count = 0;
  for (let at = 0; at < distribution.length; at += 4) count += distribution.readUInt32BE(at) >>> 8;
  return count;
}

const inOrder = (rows: { bucketSeconds: number; bucketMs?: number; locationKey?: number }[]) =>
  [...rows].sort(
    (a, b) =>
      a.bucketSeconds - b.bucketSeconds ||
      (a.bucketMs ?? 0) - (b.bucketMs ?? 0) ||
      (a.locationKey ?? 0) - (b.locationKey ?? 0),
  );

async function expectRollups(checkKey: number, samples: readonly Sample[]): Promise<void> {
  const rows = await database.knex("rollups").where({ checkKey });
  const stored = rows.map(({ checkKey: _, responseTimeHistogram, phaseSumsUs, ...row }) => {
    // Hours have a distribution of as many results as they count; 5 minute buckets have none.
    const { successCount, failureCount, errorCount, timeoutCount } = row;
    const count =
      row.bucketSeconds === 3600 ? successCount + failureCount + errorCount + timeoutCount : undefined;
    expect(responseTimeHistogram && countOf(responseTimeHistogram)).toBe(count ?? null);
    expect(phaseSumsUs?.map(Number)).toEqual(count && [0, 0, 0, 0, 0]);
    return row;
  });
  const expected = [...bruteForce(samples, 300, bucketOf), ...bruteForce(samples, 3600, hourOf)];
  expect(inOrder(stored)).toEqual(inOrder(expected));
}

test("rollups equal the brute-force sums, however late, doubled and interleaved the results came", async () => {
  const sample = fc.record({
    locationKey: fc.integer({ min: 1, max: 2 }),
    // Two days back, in coarse steps so that slots collide and buckets fill. All of them late: these tests roll up ahead
    // of the database's clock, by which a result in time is distinguished from one that must mark its bucket.
    slotMs: fc.integer({ min: 3, max: 600 }).map((step) => nowMs - step * 280_000),
    status: fc.integer({ min: 1, max: 4 }),
    responseTimeUs: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  });
  const steps = fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.array(sample, { minLength: 1, maxLength: 20 }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 48 }).map((hours) => nowMs - hours * HOUR_MS) },
    ),
    { minLength: 1, maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      const checkKey = nextCheckKey++;
      const kept = new Map<string, Sample>();
      for (const step of plan) {
        if (typeof step === "number") {
          await rollUp(database.knex, step);
          continue;
        }
        await store(checkKey, step);
        for (const one of step) {
          const id = `${one.locationKey}:${one.slotMs}`;
          if (!kept.has(id)) kept.set(id, one);
        }
      }
      await rollUp(database.knex, nowMs + 2 * HOUR_MS);
      await expectRollups(checkKey, [...kept.values()]);
    }),
    { numRuns: 15 },
  );
});

test("results that come while rollups are computed are counted all the same", async () => {
  const checkKey = nextCheckKey++;
  const samples = Array.from({ length: 200 }, (_, i) => ({
    locationKey: 1,
    slotMs: bucketOf(nowMs - HOUR_MS) + i * 1_000,
    status: 1,
    responseTimeUs: i,
  }));
  const writing = (async () => {
    for (let i = 0; i < samples.length; i += 10) await store(checkKey, samples.slice(i, i + 10));
  })();
  const rolling = (async () => {
    for (let i = 0; i < 10; i++) await rollUp(database.knex, nowMs + 2 * HOUR_MS);
  })();
  await Promise.all([writing, rolling]);
  await rollUp(database.knex, nowMs + 2 * HOUR_MS);
  await expectRollups(checkKey, samples);
});

test("a bucket is computed when it has settled, an hour when its last bucket is", async () => {
  const fresh = await createTestDatabase();
  try {
    const slotMs = await readDatabaseNow(fresh.knex);
    await ensurePartitions(fresh.knex, slotMs, slotMs);
    const checkKey = nextCheckKey++;
    await store(checkKey, [{ locationKey: 1, slotMs, status: 1, responseTimeUs: 5 }], fresh);
    const computed = async () =>
      (await fresh.knex("rollups").where({ checkKey }).orderBy("bucketSeconds")).map(
        (row) => row.bucketSeconds,
      );
    const bucketEndMs = bucketOf(slotMs) + BUCKET_MS;
    await rollUp(fresh.knex, bucketEndMs + SETTLE_MS - 1);
    expect(await computed()).toEqual([]);
    await rollUp(fresh.knex, bucketEndMs + SETTLE_MS);
    expect(await computed()).toContain(300);
    await rollUp(fresh.knex, hourOf(slotMs) + HOUR_MS + SETTLE_MS);
    expect(await computed()).toEqual([300, 3600]);
  } finally {
    await fresh.drop();
  }
});

test("a result in time marks nothing; a late one marks its bucket", async () => {
  const dirty = async () => (await database.knex("rollupDirtyBuckets")).map((row) => row.bucketMs);
  await rollUp(database.knex, nowMs + 2 * HOUR_MS);
  const databaseNowMs = await readDatabaseNow(database.knex);
  await store(nextCheckKey++, [{ locationKey: 1, slotMs: databaseNowMs, status: 1, responseTimeUs: 1 }]);
  expect(await dirty()).toEqual([]);
  const lateMs = databaseNowMs - 2 * BUCKET_MS;
  await store(nextCheckKey++, [{ locationKey: 1, slotMs: lateMs, status: 1, responseTimeUs: 1 }]);
  expect(await dirty()).toEqual([bucketOf(lateMs)]);
});
