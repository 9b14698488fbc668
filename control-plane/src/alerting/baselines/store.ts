/** SQL of baselines: one row per check location, metric and hour of the week, for checks with a rule that uses them. */
import type { BaselineMetric, LocationId } from "@svc/contract";
import type { Knex } from "knex";
import type { CheckLocation } from "../../platform/check-location.ts";
import { defineRecordset } from "../../platform/db/recordset.ts";
import { queryRows } from "../../platform/db/rows.ts";
import type { HourSamples } from "./baseline-progress.ts";
import { type Baseline, baselineOf, type RunningSums } from "./fold.ts";

/** Identifies one baseline: check, location, metric, hour of the week. */
export interface BaselineKey extends CheckLocation {
  metric: BaselineMetric;
  /** 0-167. */
  hour: number;
}

/** Running sums with the baseline that they are of. */
export type StoredSums = BaselineKey & RunningSums;

/** Returns the key as a key of maps. */
export function baselineId({ checkKey, locationKey, metric, hour }: BaselineKey): string {
  return `${checkKey}:${locationKey}:${metric}:${hour}`;
}

/** Returns the running sums that are stored for these keys, by `baselineId`. */
export async function readSums(db: Knex, keys: readonly BaselineKey[]): Promise<Map<string, RunningSums>> {
  if (keys.length === 0) return new Map();
  const rows = await queryRows<StoredSums>(
    db,
    `SELECT b.check_key, b.location_key, b.metric, b.hour_of_week AS hour, b.sample_count, b.mean, b.squares
     FROM unnest(?::bigint[], ?::integer[], ?::text[], ?::smallint[]) AS k (c, l, m, h)
     JOIN baselines b ON b.check_key = k.c AND b.location_key = k.l AND b.metric = k.m AND b.hour_of_week = k.h`,
    [
      keys.map(({ checkKey }) => checkKey),
      keys.map(({ locationKey }) => locationKey),
      keys.map(({ metric }) => metric),
      keys.map(({ hour }) => hour),
    ],
  );
  return new Map(rows.map((row) => [baselineId(row), row]));
}

/** Returns the baselines of these keys that rest on enough samples, by `baselineId`. */
export async function readBaselines(db: Knex, keys: readonly BaselineKey[]): Promise<Map<string, Baseline>> {
  const baselines = new Map<string, Baseline>();
  for (const [id, sums] of await readSums(db, keys)) {
    const baseline = baselineOf(sums);
    if (baseline) baselines.set(id, baseline);
  }
  return baselines;
}

/** Reads how many samples the hours of the week of a check have, at each location. */
export function readHourSamples(
  db: Knex,
  checkKey: number,
  metrics: readonly BaselineMetric[],
): Promise<(HourSamples & { metric: BaselineMetric })[]> {
  return queryRows(
    db,
    `SELECT location_key, metric, hour_of_week AS hour, sample_count FROM baselines
     WHERE check_key = :checkKey AND metric = ANY(:metrics)`,
    { checkKey, metrics },
  );
}

/** Reads the running sums of a metric of a check, with the ids of their locations. */
export function readSumsOfCheck(
  db: Knex,
  checkKey: number,
  metric: BaselineMetric,
): Promise<(RunningSums & { locationId: LocationId; hour: number })[]> {
  return queryRows(
    db,
    `SELECT l.id AS location_id, b.hour_of_week AS hour, b.sample_count, b.mean, b.squares
     FROM baselines b JOIN locations l ON l.key = b.location_key
     WHERE b.check_key = :checkKey AND b.metric = :metric ORDER BY l.key`,
    { checkKey, metric },
  );
}

const SUMS = defineRecordset({
  checkKey: "bigint",
  locationKey: "integer",
  metric: "text",
  hour: { sqlType: "smallint", storedIn: "hour_of_week" },
  sampleCount: "integer",
  mean: "float8",
  squares: "float8",
});

/** Stores running sums, replacing earlier ones of their keys. */
export async function writeSums(trx: Knex, sums: readonly StoredSums[]): Promise<void> {
  if (sums.length === 0) return;
  await trx.raw(
    `${SUMS.insertInto("baselines")}
     ON CONFLICT (check_key, location_key, metric, hour_of_week) DO UPDATE
     SET sample_count = excluded.sample_count, mean = excluded.mean, squares = excluded.squares`,
    [JSON.stringify(sums)],
  );
}
