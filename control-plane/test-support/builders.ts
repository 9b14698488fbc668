/** Valid inputs with defaults, so that a test states only what matters; and rows as ingest would store them. */
import type { NewCheck } from "@svc/contract";
import type { Knex } from "knex";
import { ensurePartitions } from "../src/results/retention/partitions.ts";

/** Body of POST /api/checks: an HTTP check in one hosted location. */
export function aCheck(overrides: Partial<Extract<NewCheck, { type: "http" }>> = {}): NewCheck {
  return {
    name: "Home page",
    type: "http",
    locations: ["loc_us_east"],
    httpConfig: { url: "http://127.0.0.1:9/" },
    ...overrides,
  };
}

/** Body of POST /api/checks: an MCP check in one hosted location. */
export function anMcpCheck(): NewCheck {
  return {
    name: "Tools",
    type: "mcp",
    locations: ["loc_us_east"],
    mcpConfig: { endpoint: "https://127.0.0.1:9/mcp" },
  };
}

/** A stored result. Instants and durations as in the table. */
export interface StoredResult {
  checkKey: number;
  locationKey: number;
  slotMs: number;
  runnerKey: number;
  startDelayMs: number;
  elapsedUs: number;
  responseTimeUs: number;
  status: number;
  httpStatusCode: number | null;
  traceId: string | null;
  detail?: Record<string, unknown>;
  [column: string]: unknown;
}

/** A success that took 12.345 ms and began 5 ms after its slot. */
export function aResult(
  key: Pick<StoredResult, "checkKey" | "locationKey" | "slotMs">,
  overrides: Partial<StoredResult> = {},
): StoredResult {
  return {
    runnerKey: 1,
    startDelayMs: 5,
    elapsedUs: 13_000,
    responseTimeUs: 12_345,
    status: 1,
    httpStatusCode: 200,
    traceId: null,
    ...key,
    ...overrides,
  };
}

/** A row of rollups: five minutes with one success of 1 us, of check and location 1. */
export function aRollup<T extends { bucketMs: number }>(overrides: T) {
  return {
    bucketSeconds: 300,
    checkKey: 1,
    locationKey: 1,
    successCount: 1,
    failureCount: 0,
    errorCount: 0,
    timeoutCount: 0,
    responseTimeSumUs: 1,
    responseTimeMinUs: 1,
    responseTimeMaxUs: 1,
    ...overrides,
  };
}

/** Stores results, with the partitions that they need. */
export async function storeResults(knex: Knex, results: readonly StoredResult[]): Promise<void> {
  if (results.length === 0) return;
  const slots = results.map((result) => result.slotMs);
  await ensurePartitions(knex, Math.min(...slots), Math.max(...slots));
  const details = results.filter((result) => result.detail !== undefined);
  await knex.batchInsert(
    "results",
    results.map(({ detail, ...row }) => row),
    500,
  );
  await knex.batchInsert(
    "resultDetails",
    details.map(({ checkKey, locationKey, slotMs, detail }) => ({ checkKey, locationKey, slotMs, detail })),
    500,
  );
}

/** The inner key of a check. */
export async function keyOfCheck(knex: Knex, id: string): Promise<number> {
  return (await knex("checks").where({ id }).first("key")).key;
}

/** The inner key of a location. */
export async function keyOfLocation(knex: Knex, id: string): Promise<number> {
  return (await knex("locations").where({ id }).first("key")).key;
}
