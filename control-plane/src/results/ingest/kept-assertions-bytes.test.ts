import { type AssertionResult, DAY_MS, HOUR_MS, MINUTE_MS, type ResultValues } from "@svc/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test-support/database.ts";
import { ensurePartitions } from "../retention/partitions.ts";
import { appendResult, emptyColumns } from "./columns.ts";
import { type ResultGroup, writeGroup } from "./write-group.ts";

const DAY_START_MS = Date.UTC(2026, 5, 1);
const CHECKS = 60;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await ensurePartitions(database.knex, DAY_START_MS, DAY_START_MS);
});
afterAll(() => database.drop());

const passed = (type: string, expected: unknown, actual: unknown): AssertionResult => ({
  type,
  passed: true,
  expected,
  actual,
});

/** Returns the detail of a success as an agent reports it: three usual assertions, one with the beginning of the body. */
function detailOf(responseTimeMs: number): string {
  const body = `<!doctype html><html lang="en"><title>Shop</title>${"<p>Everything must go</p>".repeat(18)}...`;
  const assertions = [
    passed("status_code", 200, 200),
    passed("response_time", 2_000, responseTimeMs),
    passed("body_contains", "Everything must go", body),
  ];
  return JSON.stringify({ assertions });
}

/** Returns the successes of an hour, one a minute for each check; the first of each check keeps the results of its assertions. */
function hourOfResults(hour: number): ResultGroup {
  const group: ResultGroup = { columns: emptyColumns(), details: [], facts: [] };
  for (let minute = 0; minute < 60; minute++)
    for (let checkKey = 1; checkKey <= CHECKS; checkKey++) {
      const responseTimeUs = 90_000 + ((checkKey * 7_919 + minute * 31) % 80_000);
      if (minute === 0)
        group.details.push({ row: group.columns.checkKeys.length, json: detailOf(responseTimeUs / 1_000) });
      const slotMs = DAY_START_MS + hour * HOUR_MS + minute * MINUTE_MS;
      appendResult(group.columns, aSuccess({ checkKey, slotMs, responseTimeUs }), 1);
    }
  return group;
}

function aSuccess(values: Pick<ResultValues, "checkKey" | "slotMs" | "responseTimeUs">): ResultValues {
  return {
    locationKey: 1,
    startDelayMs: 5,
    elapsedUs: values.responseTimeUs + 700,
    dnsLookupUs: -1,
    tcpConnectUs: -1,
    tlsHandshakeUs: -1,
    ttfbUs: -1,
    contentTransferUs: -1,
    httpStatusCode: 200,
    status: "success",
    traceId: "",
    ...values,
  };
}

it("a day of 60 s checks keeps results of assertions in at most 5 bytes for each success", async () => {
  const { knex } = database;
  // An empty table takes some pages, however many rows follow.
  const emptyBytes = (await countDetails()).bytes;
  for (let hour = 0; hour < DAY_MS / HOUR_MS; hour++)
    await writeGroup(knex, hourOfResults(hour), { bucketsMs: [] });
  const { kept, bytes } = await countDetails();
  const successes = CHECKS * 24 * 60;
  expect([await countResults(), kept]).toEqual([successes, CHECKS * 24]);
  expect((bytes - emptyBytes) / successes).toBeLessThanOrEqual(5);
});

/** Returns the number of details, and the bytes that they take with their indexes. */
async function countDetails(): Promise<{ kept: number; bytes: number }> {
  const { rows } = await database.knex.raw(
    `SELECT (SELECT count(*)::integer FROM result_details) AS kept,
       (SELECT sum(pg_total_relation_size(inhrelid))::integer FROM pg_inherits
        WHERE inhparent = 'result_details'::regclass) AS bytes`,
  );
  return rows[0];
}

async function countResults(): Promise<number> {
  const { rows } = await database.knex.raw("SELECT count(*)::integer AS n FROM results WHERE status = 1");
  return rows[0].n;
}
