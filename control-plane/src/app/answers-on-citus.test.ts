/**
 * Answers of the statements for Citus. One database is read by two apps: by the statements for PostgreSQL, and by those for Citus, which
 * a faked engine has run on one server. Both answer alike, and no part of a statement for Citus is left out.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HOUR_MS, MINUTE_MS } from "@svc/contract";
import type { Knex } from "knex";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { HISTORY_MS, type StoredForBoth, storeForBoth } from "../../test-support/stored-for-both.ts";
import { readSamples } from "../alerting/baselines/sample-store.ts";
import { readErrorCategories, readReach } from "../alerting/holds/reach-store.ts";
import { missedSlots } from "../alerting/inputs/missed-slots.ts";
import { readNewestResults, readTlsObservations } from "../alerting/inputs/result-store.ts";
import { countPieces, readCountBases } from "../alerting/slos/count-store.ts";
import { locationKeysWithOpenTrigger } from "../checks/store.ts";
import { closeGivenBackSlots } from "../gateway/given-back-store.ts";
import { readAwaited, readCheckStates, readNewFailures } from "../live/store.ts";
import { readAnnotations } from "../overview/annotations/store.ts";
import { readLoad } from "../overview/capacity/store.ts";
import { countRecordedReasons } from "../overview/reports/count-store.ts";
import * as slots from "../overview/team-slots-store.ts";
import { readNeighbours } from "../response/hypothesis/input-store.ts";
import { readFailureDetails, sampleLocations } from "../response/incidents/profile-store.ts";
import * as metrics from "../results/check-metrics/store.ts";
import * as coverage from "../results/coverage/store.ts";
import { insertTlsObservations } from "../results/ingest/store.ts";
import { BUCKET_MS, bucketOf } from "../results/rollups/buckets.ts";
import { readLocationsWithResult } from "../results/run-store.ts";
import { readBucketsOfResults, readBucketsOfRollups } from "../results/series/store.ts";
import { readStandings } from "../status-pages/view/standing-store.ts";
import { readNewestRuns } from "../telemetry/certificates/store.ts";
import { readFailingRuns, readUsualRequests } from "../telemetry/correlation/store.ts";
import { readResults } from "../telemetry/export/result-source.ts";
import { readFeedDrifts, readFeedResults } from "../telemetry/feed/result-store.ts";
import { readFeedResultRows } from "../telemetry/feed/store.ts";

/** Where in the sources a part of a statement was written: file and line. */
const seen = vi.hoisted(() => new Set<string>());
vi.mock("../platform/db/engine-sql.ts", async (importOriginal) => {
  const original = await importOriginal<typeof import("../platform/db/engine-sql.ts")>();
  const noting =
    <Args extends unknown[], Part>(write: (...args: Args) => Part) =>
    (...args: Args): Part => {
      const [, file, line] = /\n.*\n.*src\/(\S+\.ts):(\d+)/.exec(new Error().stack ?? "") ?? [];
      seen.add(`${file}:${line}`);
      return write(...args);
    };
  return {
    ...original,
    perRow: noting(original.perRow),
    resultAt: noting(original.resultAt),
    sentAlong: noting(original.sentAlong),
  };
});

let stored: StoredForBoth;
beforeAll(async () => {
  stored = await storeForBoth();
});
afterAll(() => stored?.close());

it.each([
  "/api/overview",
  "/api/coverage",
  "/api/capacity",
  "/api/checks",
  "/api/checks/summary",
  "/api/checks/health",
  "/api/checks/:shop",
  "/api/checks/:shop/certificates",
  "/api/checks/:shop/coverage?range=24h",
  "/api/checks/:shop/results?limit=50",
  "/api/checks/:shop/results?status=error&locationId=loc_us_east",
  "/api/checks/:shop/results?category=connect",
  "/api/checks/:shop/series?from=:from&to=:to",
  "/api/events?limit=200",
  "/api/events?type=check.failed",
  "/api/certificates",
  "/api/slos/status",
  "/status/shop.json",
])("GET %s", async (url) => {
  const { status, postgres, citus } = await stored.ask(
    url
      .replace(":shop", stored.shop.id)
      .replace(":from", new Date(range().fromMs).toISOString())
      .replace(":to", new Date(range().toMs).toISOString()),
  );
  expect(status, JSON.stringify(postgres)).toBe(200);
  expect(citus).toEqual(postgres);
});

/** Reads that jobs and ingest do, and those that no list above reaches. A write is rolled back, and answers with what it stored. */
const READS: Record<string, (db: Knex) => Promise<unknown>> = {
  "annotations of the team": (db) =>
    readAnnotations(db, stored.test.team.teamId, { ...range(), check: undefined }),
  "failing runs with their requests": async (db) => {
    const slots = { fromMs: range().fromMs, nowMs: stored.nowMs };
    const failing = await readFailingRuns(db, new Date(slots.fromMs), slots);
    return [failing, await readUsualRequests(db, failing, slots)];
  },
  "certificates' newest runs": (db) => readNewestRuns(db, shopLocations(), stored.nowMs),
  "results to export": (db) =>
    readResults(
      db,
      failures().map((key) => ({ ...key, after: { xid: "1", id: "1", taken: 0 } }) as never),
    ),
  "results of the feed": async (db) => {
    const request = { checks: feedChecks(), ...range(), limit: 500 } as never;
    return [await readFeedResults(db, request, "all"), await readFeedResults(db, request, "failed")];
  },
  "drifts of the feed": (db) => readFeedDrifts(db, { checks: feedChecks(), ...range(), limit: 500 } as never),
  "rows of the feed": (db) => sorted(readFeedResultRows(db, failures())),
  "open triggers": (db) => locationKeysWithOpenTrigger(db, stored.shop.key, range().fromMs),
  "standings of a status page": (db) => sorted(readStandings(db, allKeys(), stored.nowMs)),
  "details of failures": (db) => sorted(readFailureDetails(db, failures())),
  "samples of locations": (db) => sorted(sampleLocations(db, batch(), stored.shop.locationKeys)),
  "checks of the host": (db) => readNeighbours(db, { ...batch(), hosts: ["shop.example.test", "127.0.0.1"] }),
  "locations with a result of a run": async (db) =>
    (
      await readLocationsWithResult(db, {
        checkKey: stored.shop.key,
        slotMs: stored.failedSlots[0] as number,
      })
    ).sort(),
  "samples of a baseline": (db) =>
    sorted(
      readSamples(db, { checkKey: stored.shop.key, metric: "response_time" as never }, [
        { fromMs: range().fromMs, untilMs: stored.nowMs },
      ]),
    ),
  "counts of an SLO": async (db) => {
    const [base] = await readCountBases(db, [stored.shop.key]);
    const pieces = ([null, 300, 3_600] as const).flatMap((bucketSeconds, n) =>
      [null, 40].map((thresholdMs, m) => ({
        ...range(),
        bucketSeconds,
        thresholdMs,
        checkKey: stored.shop.key,
        questions: [2 * n + m],
        locationKeys: (base?.locationKeys ?? []).sort(),
        isSubtracted: false,
      })),
    );
    return [...(await countPieces(db, pieces))].sort(([a], [b]) => a - b);
  },
  "reach of a location": async (db) => {
    const asked = shopLocations().map(({ locationKey }) => ({ ...batch(), locationKey, atMs: stored.nowMs }));
    return [await sorted(readReach(db, asked as never)), await sorted(readErrorCategories(db, failures()))];
  },
  "results for rules": async (db) => {
    const asked = shopLocations().map((one) => ({ ...one, limit: 20, fromMs: range().fromMs }));
    return [
      await readNewestResults(db, asked, { onlySuccesses: false, withVitals: true, nowMs: stored.nowMs }),
      await readTlsObservations(db, asked),
    ];
  },
  "missed slots for rules": async (db) => {
    const { id, key } = stored.shop;
    const check = { id, key, frequencySeconds: 60, timeoutMs: null } as never;
    const found = await missedSlots.load(db, [{ check, need: 30 } as never], stored.nowMs + HOUR_MS);
    return stored.shop.locationKeys.map((locationKey) => found.get(key)?.(locationKey));
  },
  series: async (db) => {
    const part = { ...range(), widthMs: HOUR_MS };
    return [
      await sorted(inOrder(readBucketsOfResults(db, stored.shop.key, part))),
      await sorted(readBucketsOfRollups(db, stored.shop.key, part)),
    ];
  },
  metrics: (db) => metrics.readNewestResults(db, allKeys(), stored.nowMs),
  "live states and failures": async (db) => [
    await sorted(
      readCheckStates(db, stored.test.team.teamId, { after: undefined, limit: 10, nowMs: stored.nowMs }),
    ),
    await sorted(readNewFailures(db, allKeys(), { sinceMs: HOUR_MS, nowMs: stored.nowMs })),
    await readAwaited(
      db,
      shopLocations().map((one) => ({ ...one, afterSlotMs: range().fromMs })),
      stored.nowMs,
    ),
  ],
  "slots of the team": async (db) => {
    const spans = shopLocations().map((one) => ({ ...one, ...countedSpan() }));
    return [
      await sorted(slots.readShortfalls(db, spans)),
      await sorted(slots.countRecordedReasons(db, spans)),
      await sorted(slots.readUnrecorded(db, spans, 1_000)),
    ];
  },
  "reasons of a report": (db) =>
    countRecordedReasons(
      db,
      shopLocations().map((one) => ({ ...one, ...range() })),
      range(),
    ),
  "load of locations": (db) =>
    sorted(readLoad(db, stored.test.team.teamId, { nowMs: stored.nowMs, locationKey: null })),
  "dispatches without an answer, and missed slots": async (db) => [
    await coverage.readUnansweredDispatches(db, { ...range(), limit: 10 }),
    await undone(db, async (trx) => {
      const missed = failures().map(({ slotMs, ...key }, n) => ({
        ...key,
        slotMs: slotMs + n,
        reason: "no_runner",
      }));
      await coverage.insertMissedSlots(trx, missed as never);
      await closeGivenBackSlots(trx, stored.nowMs);
      return trx("missedSlots").orderBy(["checkKey", "locationKey", "slotMs"]);
    }),
  ],
  "certificates of ingest": (db) =>
    undone(db, async (trx) => {
      const seen = await trx("tlsObservations").where({ checkKey: stored.shop.key });
      const rows = seen.map(({ facts, firstSlotMs, ...key }, n) => ({
        ...key,
        slotMs: firstSlotMs + 1,
        json: JSON.stringify(n === 0 ? facts : { ...facts, fingerprintSha256: "CC:03" }),
      }));
      await insertTlsObservations(trx, rows);
      return trx("tlsObservations").orderBy(["checkKey", "locationKey", "firstSlotMs"]);
    }),
};

it.each(Object.entries(READS))("%s", async (_name, read) => {
  const postgres = await read(stored.test.services.knex);
  expect(await read(stored.citus)).toEqual(postgres);
  for (const part of Array.isArray(postgres) ? postgres : [postgres]) expect(part).not.toEqual([]);
});

it("the tests above write every part of a statement for Citus that the sources have", () => {
  expect([...seen].sort()).toEqual(sitesInSources());
});

const range = () => ({ fromMs: stored.nowMs - HISTORY_MS, toMs: stored.nowMs });
const batch = () => ({ teamId: stored.test.team.teamId, nowMs: stored.nowMs });
const allKeys = () => [stored.shop, stored.tools, stored.silent].map(({ key }) => key);
const shopLocations = () =>
  stored.shop.locationKeys.map((locationKey) => ({
    checkKey: stored.shop.key,
    locationKey,
    teamId: stored.test.team.teamId,
  }));
const failures = () =>
  stored.failedSlots.map((slotMs) => ({
    ...(shopLocations()[0] as { checkKey: number; locationKey: number }),
    slotMs,
  }));
const feedChecks = () =>
  [stored.shop, stored.tools].map(({ key, locationKeys }) => ({
    key,
    locationKeys,
    periodMsMax: MINUTE_MS,
    slotsPerSecond: 0.03,
  }));

/** The shop's slots of the history, of which the buckets of the last hours are whole. */
function countedSpan() {
  const firstSlotMs = (stored.failedSlots[0] as number) - 20 * MINUTE_MS;
  const lastSlotMs = stored.failedSlots.at(-1) as number;
  return {
    firstSlotMs,
    lastSlotMs,
    periodMs: MINUTE_MS,
    staggerMs: 0,
    expected: (lastSlotMs - firstSlotMs) / MINUTE_MS + 1,
    firstBucketMs: bucketOf(firstSlotMs) + BUCKET_MS,
    endBucketMs: bucketOf(lastSlotMs - 2 * BUCKET_MS),
  };
}

/** Puts rows in an order of their own: not every statement has one. */
async function sorted(rows: Promise<readonly unknown[]>): Promise<unknown[]> {
  const texts = (await rows).map((row) => JSON.stringify(row)).sort();
  return texts.map((text) => JSON.parse(text));
}

/** Puts the times of each bucket in an order of their own: those of plain results come as the server met them. */
async function inOrder<T extends { times: Buffer | null }>(
  buckets: Promise<readonly T[]>,
): Promise<unknown[]> {
  return (await buckets).map(({ times, ...bucket }) => ({
    ...bucket,
    times: times?.toString("hex").match(/.{8}/g)?.sort(),
  }));
}

/** Returns what the work answers in a transaction that leaves nothing behind. */
async function undone(db: Knex, work: (trx: Knex) => Promise<unknown>): Promise<unknown> {
  const trx = await db.transaction();
  try {
    return await work(trx);
  } finally {
    await trx.rollback();
  }
}

/** Returns file and line of each call in the sources that writes such a part, as {@link seen} has them. */
function sitesInSources(): string[] {
  const folder = fileURLToPath(new URL("..", import.meta.url));
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.endsWith("engine-sql.ts"))
    .flatMap((file) =>
      readFileSync(join(folder, file), "utf8")
        .split("\n")
        .flatMap((line, at) => (/\b(?:perRow|resultAt|sentAlong)\(/.test(line) ? [`${file}:${at + 1}`] : [])),
    )
    .sort();
}
