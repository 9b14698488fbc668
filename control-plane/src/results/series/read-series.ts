/** Reads the series of a check: from results for a day at most, from hourly rollups beyond. */
import { DAY_MS, type LocationId, type Series } from "@svc/contract";
import type { Knex } from "knex";
import type { CheckModel } from "../../checks/row.ts";
import type { Services } from "../../platform/services.ts";
import { readLocationsByIdOrKey } from "../coverage/store.ts";
import type { TimeRange } from "../coverage/time-range.ts";
import { hourOf } from "../rollups/buckets.ts";
import { type SeriesGrid, seriesGrid } from "./buckets.ts";
import { columnsOf, wholeOf } from "./columns.ts";
import { type BucketRow, readBucketsOfResults, readBucketsOfRollups, readRolledUpUntil } from "./store.ts";

/** Reads the series of the range. The caller ensures that the check is the team's. */
export async function readSeries(
  { knex, clock }: Pick<Services, "knex" | "clock">,
  check: CheckModel,
  { by, ...range }: TimeRange & { by: "location" | "all" },
): Promise<Series> {
  const grid = seriesGrid(range, check.frequencySeconds * 1000);
  const rows =
    grid.source === "results"
      ? await readBucketsOfResults(knex, check.key, grid)
      : await readRolledUp(knex, check.key, { grid, nowMs: clock.nowMs() });
  return {
    checkId: check.id,
    from: new Date(grid.fromMs).toISOString(),
    to: new Date(grid.toMs).toISOString(),
    bucketMs: grid.widthMs,
    whole: wholeOf(rows),
    source: grid.source,
    series:
      by === "all"
        ? [{ locationId: null, ...columnsOf(rows, grid) }]
        : (await readLocations(knex, check, rows)).map(({ key, id }) => ({
            locationId: id,
            ...columnsOf(
              rows.filter(({ locationKey }) => locationKey === key),
              grid,
            ),
          })),
  };
}

/** Reads rollups, and the results of the newest hours, which are not rolled up. */
async function readRolledUp(
  db: Knex,
  checkKey: number,
  { grid, nowMs }: { grid: SeriesGrid; nowMs: number },
): Promise<BucketRow[]> {
  const doneMs = hourOf((await readRolledUpUntil(db)) ?? grid.fromMs);
  const rolledUp = await readBucketsOfRollups(db, checkKey, { ...grid, toMs: Math.min(grid.toMs, doneMs) });
  // A job that is far behind leaves a gap rather than a long read.
  const fromMs = Math.max(grid.fromMs, doneMs, hourOf(nowMs - DAY_MS));
  if (fromMs >= grid.toMs) return rolledUp;
  return [...rolledUp, ...(await readBucketsOfResults(db, checkKey, { ...grid, fromMs }))];
}

/** Returns the check's locations in the order of its list, then those that it had earlier and have results. */
async function readLocations(
  db: Knex,
  check: CheckModel,
  rows: readonly BucketRow[],
): Promise<{ key: number; id: LocationId }[]> {
  const keys = [...new Set(rows.map(({ locationKey }) => locationKey))];
  const locations = await readLocationsByIdOrKey(db, check.locationIds, keys);
  const rank = (id: string) => check.locationIds.indexOf(id) >>> 0;
  return locations.sort((a, b) => rank(a.id) - rank(b.id) || a.key - b.key);
}
