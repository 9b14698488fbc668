/** The trace ids of merged results, which the table does not hold where they follow from the run: every reader answers as before the merge. */
import {
  type CheckId,
  HOUR_MS,
  type LocationId,
  MINUTE_MS,
  type NetworkRequest,
  type NewCheck,
  resultIdOf,
  runIdOf,
} from "@svc/contract";
import { traceIdOfRun } from "@svc/contract/trace-id";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../test-support/alerting.ts";
import { createTestClock } from "../../test-support/app.ts";
import { isOnCitus } from "../../test-support/database.ts";
import { dayMs, HOURS, switchMs } from "../../test-support/merge-test.ts";
import { readNewestResults } from "../alerting/inputs/result-store.ts";
import { queryRows } from "../platform/db/rows.ts";
import { markLateBuckets } from "../results/ingest/store.ts";
import { mergeResults } from "../results/merge/merge-results.ts";
import { createPartitions, PART_MS, partitionName } from "../results/retention/partitions.ts";
import { bucketOf } from "../results/rollups/buckets.ts";
import { registerResultRoutes } from "../results/routes.ts";
import { readNewestRuns } from "../telemetry/certificates/store.ts";
import { readFailingRuns } from "../telemetry/correlation/store.ts";
import { readResults } from "../telemetry/export/result-source.ts";
import { readFeedResultRows } from "../telemetry/feed/store.ts";

const OWN = "0af7651916cd43dd8448eb211c80319c";
const LOCATION_ID = "loc_us_east" as LocationId;
const REQUESTS: NetworkRequest[] = [
  {
    ...{ url: "https://cdn.example.test/a.js", method: "GET", resourceType: "script", httpStatusCode: 503 },
    ...{ startedAt: new Date(dayMs).toISOString(), durationMs: 1, responseBytes: null },
  },
];

/** Results by name; each is the only one of its check. */
const NAMES = ["of its run", "own", "none", "of a check deleted before", "of a check deleted after"] as const;
type Name = (typeof NAMES)[number];

let test: AlertTest;
const checks = new Map<Name, AlertTestCheck>();
/** Trace ids that the results were stored with. */
const expected = new Map<Name, string | null>();
let locationKey: number;
const slotOf = (name: Name) => dayMs + (NAMES.indexOf(name) + 1) * MINUTE_MS;
const checkOf = (name: Name) => checks.get(name) as AlertTestCheck;
const keyOf = (name: Name) => ({ checkKey: checkOf(name).key, locationKey, slotMs: slotOf(name) });

beforeAll(async () => {
  if (isOnCitus) return;
  test = await createAlertTest({ clock: createTestClock(Date.now()), register: registerResultRoutes });
  const { knex } = test.services;
  await knex.raw(`DROP TABLE ${partitionName("results", dayMs)}`);
  await createPartitions(knex, { fromMs: dayMs, toMs: dayMs + HOURS * HOUR_MS - 1, hourlyFromMs: dayMs });
  await knex("telemetrySettings").insert({
    ...{ id: test.team.teamId, endpoint: "http://127.0.0.1:9/", protocol: "http_json" },
    ...{ enabled: true, traces: true, metrics: true },
  });
  for (const name of NAMES) {
    const check = await test.newCheck({
      ...{ name, type: "browser", locations: [LOCATION_ID], frequencySeconds: 300 },
      browserConfig: { browserMode: "url", url: "https://shop.example.test/" },
    } as NewCheck);
    checks.set(name, check);
    locationKey = check.locationKeys[0] as number;
    const ofRun = traceIdOfRun({
      checkId: check.id as CheckId,
      locationId: LOCATION_ID,
      slotMs: slotOf(name),
    });
    const traceId = name === "own" ? OWN : name === "none" ? null : ofRun;
    expected.set(name, traceId);
    await store(name, traceId);
  }
  await knex("checks").update({ createdAt: new Date(dayMs) });
  await knex("checkRevisions").update({ effectiveFromMs: dayMs });
}, 60_000);
afterAll(() => test?.close());

async function store(name: Name, traceId: string | null): Promise<void> {
  const { knex } = test.services;
  await knex("results").insert({
    ...{ ...keyOf(name), traceId, createdAt: new Date(slotOf(name) + 2_000), runnerKey: 0, status: 3 },
    ...{ startDelayMs: 0, elapsedUs: 1_000, responseTimeUs: 1_000 },
  });
  const detail = JSON.stringify({ networkRequestsJson: REQUESTS });
  await knex("resultDetails").insert({ ...keyOf(name), detail });
}

/** Trace ids as every reader answers them; undefined: the reader does not know the check. */
type Answers = Record<string, string | null | undefined>;

async function answersOf(name: Name): Promise<Answers> {
  const { knex } = test.services;
  const key = keyOf(name);
  const { id } = checkOf(name);
  const at = `/api/checks/${id}`;
  const list = await test.call("GET", `${at}/results?limit=10`);
  const result = await test.call("GET", `${at}/results/${resultIdOf(key)}`);
  const run = await test.call("GET", `${at}/runs/${runIdOf(key)}`);
  const options = { onlySuccesses: false, withVitals: false, nowMs: dayMs + PART_MS };
  const [judged] = await readNewestResults(knex, [{ ...key, limit: 5, fromMs: dayMs }], options);
  const [certificate] = await readNewestRuns(knex, [key], dayMs + PART_MS);
  const failing = await readFailingRuns(knex, new Date(dayMs), { fromMs: dayMs, nowMs: dayMs + PART_MS });
  const [exported] = await readResults(knex, [{ ...key, after: { xid: "1", id: "1", taken: 0 } }]);
  const [fed] = await readFeedResultRows(knex, [key]);
  return {
    list: list.body.results?.[0]?.traceId,
    result: result.body.result?.traceId,
    run: run.body.run?.results?.[0]?.traceId,
    judged: judged?.traceId,
    certificate: certificate?.traceId,
    correlation: failing.find(({ checkKey }) => checkKey === key.checkKey)?.traceId,
    export: exported?.traceId,
    feed: fed?.traceId,
  };
}

/** Columns of the trace id as the table holds them. */
async function storedOf(name: Name): Promise<{ traceId: string | null; hasOwnTraceId: boolean | null }> {
  const [row] = await test.services
    .knex("results")
    .where(keyOf(name))
    .select<{ traceId: string | null; hasOwnTraceId: boolean | null }[]>("traceId", "hasOwnTraceId");
  return { ...row, traceId: row?.traceId?.replaceAll("-", "") ?? null } as never;
}

/** Stores a result at another location, late, after its hour is copied. @returns its key */
async function storeAfterTheCopy(name: Name) {
  const { knex } = test.services;
  const copied = async () => {
    await mergeResults(knex, dayMs + HOUR_MS + 30 * MINUTE_MS);
    return (await knex("copiedHours").where({ isCopied: true })).length;
  };
  await expect.poll(copied).toBe(1);
  const [west] = await knex("locations").where({ id: "loc_us_west" }).select("key", "id");
  const key = { ...keyOf(name), locationKey: west?.key as number };
  const checkId = checkOf(name).id as CheckId;
  const traceId = traceIdOfRun({ checkId, locationId: west?.id, slotMs: key.slotMs });
  await knex.transaction(async (trx) => {
    await trx("results").insert({
      ...{ ...key, traceId, runnerKey: 0, status: 1, startDelayMs: 0, elapsedUs: 1, responseTimeUs: 1 },
    });
    await markLateBuckets(trx, [bucketOf(key.slotMs)]);
  });
  return key;
}

const merge = () =>
  expect
    .poll(async () => {
      await mergeResults(test.services.knex, switchMs);
      const rows = await queryRows(
        test.services.knex,
        "SELECT 1 FROM results WHERE slot_ms >= ? AND slot_ms < ? AND xid IS NOT NULL",
        [dayMs, dayMs + PART_MS],
      );
      return rows.length;
    })
    .toBe(0);

describe.skipIf(isOnCitus)("trace ids", () => {
  it("are answered by every reader after the merge as before, though the table holds only those that don't follow from the run", async () => {
    const deleted = checkOf("of a check deleted before");
    expect((await test.call("DELETE", `/api/checks/${deleted.id}`)).status).toBe(200);
    const before = new Map<Name, Answers>();
    for (const name of NAMES) before.set(name, await answersOf(name));
    for (const name of ["of its run", "own", "none", "of a check deleted after"] as const) {
      const answers = before.get(name) as Answers;
      const readers = Object.keys(answers);
      expect(answers, name).toStrictEqual(
        Object.fromEntries(readers.map((reader) => [reader, expected.get(name)])),
      );
      expect(await storedOf(name)).toEqual({ traceId: expected.get(name), hasOwnTraceId: true });
    }
    const late = await storeAfterTheCopy("own");
    await merge();
    expect(await test.services.knex("results").where(late).select("traceId", "hasOwnTraceId")).toEqual([
      { traceId: null, hasOwnTraceId: null },
    ]);
    await test.services.knex("results").where(late).delete();
    for (const name of NAMES) expect(await answersOf(name), name).toEqual(before.get(name));
    for (const name of ["own", "none", "of a check deleted before"] as const)
      expect(await storedOf(name), name).toEqual({ traceId: expected.get(name), hasOwnTraceId: true });
    for (const name of ["of its run", "of a check deleted after"] as const)
      expect(await storedOf(name), name).toEqual({ traceId: null, hasOwnTraceId: null });
  });

  it("of a check that is deleted after the merge are those that its last results in the feed and the export have", async () => {
    const name = "of a check deleted after";
    expect((await test.call("DELETE", `/api/checks/${checkOf(name).id}`)).status).toBe(200);
    const answers = await answersOf(name);
    expect([answers.export, answers.feed]).toEqual([expected.get(name), expected.get(name)]);
    const before = await answersOf("of a check deleted before");
    expect([before.export, before.feed]).toEqual(
      new Array(2).fill(expected.get("of a check deleted before")),
    );
  });

  it("that follow from the run take no place in a merged row", async () => {
    const bytes = new Map<Name, number>();
    for (const name of ["of its run", "own", "none"] as const) {
      const { checkKey } = keyOf(name);
      const [row] = await queryRows<{ bytes: number }>(
        test.services.knex,
        "SELECT pg_column_size(r.*)::integer AS bytes FROM results r WHERE check_key = ?",
        [checkKey],
      );
      bytes.set(name, row?.bytes as number);
    }
    const ofRun = bytes.get("of its run") as number;
    // The id of its own, and the byte that says so.
    expect(bytes.get("own")).toBe(ofRun + 17);
    expect(bytes.get("none")).toBe(ofRun + 1);
  });
});
