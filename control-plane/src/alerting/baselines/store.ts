/** SQL of baselines: one row per check, location, metric and hour of the week, for checks with a rule that asks for it. */
import type { BaselineMetric } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { Baseline } from "../conditions/condition-input.ts";
import { baselineOfCell, type Cell } from "./fold.ts";

/** Which hour of the week of what. */
export interface CellKey {
  checkKey: number;
  locationKey: number;
  metric: BaselineMetric;
  /** 0-167. */
  hour: number;
}

export function cellId({ checkKey, locationKey, metric, hour }: CellKey): string {
  return `${checkKey}:${locationKey}:${metric}:${hour}`;
}

/** The cells that are there, by cellId. */
export async function readCells(db: Knex, keys: readonly CellKey[]): Promise<Map<string, Cell>> {
  if (keys.length === 0) return new Map();
  const rows = await queryRows<CellKey & Cell>(
    db,
    `SELECT b.check_key AS "checkKey", b.location_key AS "locationKey", b.metric, b.hour_of_week AS hour,
       b.sample_count AS "sampleCount", b.mean, b.squares
     FROM unnest(?::bigint[], ?::integer[], ?::text[], ?::smallint[]) AS k (c, l, m, h)
     JOIN baselines b ON b.check_key = k.c AND b.location_key = k.l AND b.metric = k.m AND b.hour_of_week = k.h`,
    [
      keys.map(({ checkKey }) => checkKey),
      keys.map(({ locationKey }) => locationKey),
      keys.map(({ metric }) => metric),
      keys.map(({ hour }) => hour),
    ],
  );
  return new Map(rows.map((row) => [cellId(row), row]));
}

/** The baselines that are based on enough, by cellId. */
export async function readBaselines(db: Knex, keys: readonly CellKey[]): Promise<Map<string, Baseline>> {
  const baselines = new Map<string, Baseline>();
  for (const [id, cell] of await readCells(db, keys)) {
    const baseline = baselineOfCell(cell);
    if (baseline) baselines.set(id, baseline);
  }
  return baselines;
}

export async function writeCells(trx: Knex, cells: readonly (CellKey & Cell)[]): Promise<void> {
  if (cells.length === 0) return;
  await trx.raw(
    `INSERT INTO baselines (check_key, location_key, metric, hour_of_week, sample_count, mean, squares)
     SELECT c, l, m, h, n, mean, squares
     FROM json_to_recordset(?::json) AS u (c bigint, l integer, m text, h smallint, n integer, mean float8, squares float8)
     ON CONFLICT (check_key, location_key, metric, hour_of_week) DO UPDATE
     SET sample_count = excluded.sample_count, mean = excluded.mean, squares = excluded.squares`,
    [
      JSON.stringify(
        cells.map(({ checkKey: c, locationKey: l, metric: m, hour: h, sampleCount: n, mean, squares }) => ({
          ...{ c, l, m, h, n, mean, squares },
        })),
      ),
    ],
  );
}
