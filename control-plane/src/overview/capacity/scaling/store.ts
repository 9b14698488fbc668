/** SQL of the number of runners that locations want. Instants are the database's: all replicas share that clock. */
import { type LocationId, SCALING, type Scaling, SECOND_MS } from "@svc/contract";
import type { Knex } from "knex";
import { defineRecordset } from "../../../platform/db/recordset.ts";
import { queryRows } from "../../../platform/db/rows.ts";
import type { RunnerGroupRow } from "../store.ts";

/** A location that may run checks, with the state of its last step; null: it is new. */
export interface ScaledLocationRow {
  key: number;
  isHosted: boolean;
  state: Scaling | null;
}

/** Reads the locations of all teams and the hosted ones, without retired ones. */
export function readScaledLocations(db: Knex): Promise<ScaledLocationRow[]> {
  return queryRows(
    db,
    `SELECT l.key, l.team_id IS NULL AS is_hosted, s.state FROM locations l
     LEFT JOIN location_scaling s ON s.location_key = l.key
     WHERE l.deleted_at IS NULL AND l.status <> 'retired'`,
    {},
  );
}

/** Connected runners that are alike, and how many of them have accepted nothing new for a while. */
export interface LoadedGroupRow extends RunnerGroupRow {
  overloaded: number;
}

/** Reads the connected runners of all locations that take new runs. */
export function readLoadedGroups(db: Knex): Promise<LoadedGroupRow[]> {
  return queryRows(
    db,
    `SELECT location_keys, capabilities, capacity_per_second, coalesce((stats ->> 'freshRuns')::integer, 0) AS fresh_runs,
       coalesce((stats ->> 'browserPages')::integer, 0) AS browser_pages, count(*)::integer AS count,
       (count(*) FILTER (WHERE not_accepting_since <= clock_timestamp() - interval '${SCALING.overloadedAfterMs} ms'))::integer AS overloaded
     FROM runners WHERE lease_until > clock_timestamp() AND NOT draining
     GROUP BY 1, 2, 3, 4, 5`,
    {},
  );
}

const STEPS = defineRecordset({ locationKey: "integer", wanted: "integer", live: "integer", state: "jsonb" });

/** A location's next step. */
export interface ScalingStep {
  locationKey: number;
  wanted: number;
  live: number;
  state: Scaling;
}

/** Stores the steps of all locations; those of other locations are deleted. */
export async function storeSteps(db: Knex, steps: readonly ScalingStep[]): Promise<void> {
  await db.raw(
    `WITH given AS (SELECT * FROM ${STEPS.as("g")}),
     gone AS (DELETE FROM location_scaling WHERE location_key NOT IN (SELECT "locationKey" FROM given))
     INSERT INTO location_scaling (location_key, wanted, live, state, computed_at)
     SELECT "locationKey", g.wanted, g.live, g.state, clock_timestamp() FROM given g JOIN locations l ON l.key = "locationKey"
     ON CONFLICT (location_key) DO UPDATE SET wanted = excluded.wanted, live = excluded.live, state = excluded.state,
       computed_at = excluded.computed_at`,
    [JSON.stringify(steps)],
  );
}

/** Age from which on a number is not answered any more: whoever counts has been away, and an old number would mislead. */
const FRESH_MS = 120 * SECOND_MS;

/** The numbers of a location. */
export interface ScalingRow {
  id: LocationId;
  isHosted: boolean;
  wanted: number;
  live: number;
}

/** Reads the numbers of the locations, hosted ones first, then those where something is to run or is connected. */
export function readScaling(db: Knex, limit: number): Promise<ScalingRow[]> {
  return queryRows(
    db,
    `SELECT l.id, l.team_id IS NULL AS is_hosted, s.wanted, s.live
     FROM location_scaling s JOIN locations l ON l.key = s.location_key
     WHERE s.computed_at > clock_timestamp() - interval '${FRESH_MS} ms'
     ORDER BY l.team_id IS NOT NULL, s.wanted + s.live = 0, l.key LIMIT ${Math.trunc(limit)}`,
    {},
  );
}
