/** SQL of the capacity of locations: a fixed number of statements, however many checks there are. */
import {
  type CheckId,
  type CheckType,
  checkTypes,
  DAY_MS,
  HOUR_MS,
  type LocationId,
  runKindField,
  type TeamId,
  wholeMs,
} from "@svc/contract";
import type { Knex } from "knex";
import { engineOf } from "../../platform/db/engine.ts";
import { perRow } from "../../platform/db/engine-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";

/** A location that a team can see. */
export interface CapacityLocationRow {
  key: number;
  id: LocationId;
  name: string;
  isHosted: boolean;
  /** Retired locations run nothing. */
  isRetired: boolean;
}

/** Reads the locations that the team can see. */
export function readCapacityLocations(db: Knex, teamId: TeamId): Promise<CapacityLocationRow[]> {
  return queryRows(
    db,
    `SELECT key, id, display_name AS name, team_id IS NULL AS is_hosted, status = 'retired' AS is_retired FROM locations
     WHERE deleted_at IS NULL AND (team_id IS NULL OR team_id = :teamId) ORDER BY team_id IS NOT NULL, key`,
    { teamId },
  );
}

/** Connected runners that are alike. */
export interface RunnerGroupRow {
  locationKeys: number[];
  capabilities: string[];
  capacityPerSecond: number;
  /** 0 when the runners, of an earlier version, did not say. */
  freshRuns: number;
  browserPages: number;
  count: number;
}

/** Reads the connected runners of the hosted pool and of the team's locations that take new runs. */
export function readRunnerGroups(db: Knex, teamId: TeamId): Promise<RunnerGroupRow[]> {
  return queryRows(
    db,
    `SELECT location_keys, capabilities, capacity_per_second, coalesce((stats ->> 'freshRuns')::integer, 0) AS fresh_runs,
       coalesce((stats ->> 'browserPages')::integer, 0) AS browser_pages, count(*)::integer AS count
     FROM runners WHERE lease_until > clock_timestamp() AND NOT draining AND (location_key IS NULL OR location_key IN (
       SELECT key FROM locations WHERE team_id = :teamId AND deleted_at IS NULL))
     GROUP BY 1, 2, 3, 4, 5`,
    { teamId },
  );
}

/** SQL of the kind of the runs of check `c`, see `runKindOf`; NULL where all runs of its type cost alike. */
const KIND = `CASE c.type ${checkTypes.types
  .map((type) => [type, runKindField(type)])
  .filter(([, field]) => field !== undefined)
  .map(([type, field]) => `WHEN '${type}' THEN c.config ->> '${field}'`)
  .join(" ")} END`;

/** SQL of the mean response time of a row of rollups, µs. */
const MEAN_US =
  "response_time_sum_us / nullif(success_count + failure_count + error_count + timeout_count, 0) AS mean_us";

/** SQL of the mean response time of check `c` at location `l`, µs: over the newest hour of the last day that has results. */
const meanUs = (db: Knex) =>
  perRow(db, {
    as: "h",
    columns: "mean_us bigint",
    select: `SELECT ${MEAN_US}
      FROM rollups WHERE bucket_seconds = ${HOUR_MS / 1000} AND check_key = {c.key} AND location_key = {l.key}
        AND bucket_ms >= {:fromMs} ORDER BY bucket_ms DESC LIMIT 1`,
  });

/**
 * Returns what {@link meanUs} gives as the begin of a statement and as a LEFT JOIN in it, for thousands of checks: on Citus each worker
 * is asked once for all checks, where asking for each check location would take longer than a statement may.
 * @param checks SELECT of the keys of the checks, as `key`
 */
function meansOf(db: Knex, checks: string): { begin: string; join: string } {
  if (engineOf(db) === "postgres") return { begin: "", join: `LEFT JOIN LATERAL ${meanUs(db)} ON true` };
  return {
    begin: `WITH asked AS MATERIALIZED (${checks}), means AS MATERIALIZED (
      SELECT DISTINCT ON (check_key, location_key) check_key, location_key, ${MEAN_US} FROM rollups
      WHERE bucket_seconds = ${HOUR_MS / 1000} AND bucket_ms >= :fromMs AND check_key IN (SELECT key FROM asked)
      ORDER BY check_key, location_key, bucket_ms DESC) `,
    join: "LEFT JOIN means h ON h.check_key = c.key AND h.location_key = l.key",
  };
}

/** The enabled checks of a team of one type and kind at a location, as columns of equal length. */
export interface LoadRow {
  teamId: TeamId;
  locationKey: number;
  type: CheckType;
  kind: string | null;
  checkKeys: number[];
  frequencySeconds: number[];
  /** -1: not measured. */
  meanUs: number[];
}

/** Reads the team's enabled checks by location, type and kind. @param locationKey the only location to read; null: all */
export function readLoad(
  db: Knex,
  teamId: TeamId,
  { nowMs, locationKey }: { nowMs: number; locationKey: number | null },
): Promise<LoadRow[]> {
  return readLoadWhere(
    db,
    "c.team_id = :teamId AND (CAST(:locationKey AS integer) IS NULL OR l.key = :locationKey)",
    { nowMs, bindings: { teamId, locationKey } },
  );
}

/** Reads what {@link readLoad} does, of all teams that have a private location. */
export function readPrivateLoad(db: Knex, nowMs: number): Promise<LoadRow[]> {
  return readLoadWhere(
    db,
    "c.team_id IN (SELECT team_id FROM locations WHERE team_id IS NOT NULL AND deleted_at IS NULL)",
    { nowMs, bindings: {} },
  );
}

async function readLoadWhere(
  db: Knex,
  condition: string,
  { nowMs, bindings }: { nowMs: number; bindings: Record<string, string | number | null> },
): Promise<LoadRow[]> {
  const from =
    "FROM checks c JOIN locations l ON l.id = ANY (c.location_ids) AND l.status <> 'retired' AND l.deleted_at IS NULL";
  const where = `WHERE c.enabled AND ${condition}`;
  const means = meansOf(db, `SELECT DISTINCT c.key ${from} ${where}`);
  // Columns as text: tens of thousands of numbers are split faster than as many rows are read.
  const rows = await queryRows<Record<"checkKeys" | "frequencySeconds" | "meanUs", string> & LoadRow>(
    db,
    `${means.begin}SELECT c.team_id, l.key AS location_key, c.type, ${KIND} AS kind, array_to_string(array_agg(c.key), ',') AS check_keys,
       array_to_string(array_agg(c.frequency_seconds), ',') AS frequency_seconds,
       array_to_string(array_agg(coalesce(h.mean_us, -1)), ',') AS mean_us
     ${from}
     ${means.join}
     ${where}
     GROUP BY 1, 2, 3, 4`,
    { ...bindings, fromMs: wholeMs(nowMs - DAY_MS) },
  );
  return rows.map((row) => ({
    ...row,
    checkKeys: numbers(row.checkKeys),
    frequencySeconds: numbers(row.frequencySeconds),
    meanUs: numbers(row.meanUs),
  }));
}

/** The enabled checks of all teams of one type and kind at a hosted location. */
export interface HostedLoadRow {
  locationKey: number;
  type: CheckType;
  kind: string | null;
  /** Runs a second, by team. */
  rates: Record<string, number>;
}

/** Reads what all teams run at the hosted locations. */
export function readHostedLoad(db: Knex): Promise<HostedLoadRow[]> {
  return queryRows(
    db,
    `SELECT location_key, type, kind, json_object_agg(team_id, rate) AS rates FROM (
       SELECT l.key AS location_key, c.type, ${KIND} AS kind, c.team_id, sum(1.0 / c.frequency_seconds)::float8 AS rate
       FROM checks c JOIN locations l ON l.id = ANY (c.location_ids) AND l.team_id IS NULL AND l.status <> 'retired'
       WHERE c.enabled GROUP BY 1, 2, 3, 4) by_team GROUP BY 1, 2, 3`,
    {},
  );
}

/** Median time of the runs of one type and kind. */
export interface TypicalRow {
  type: CheckType;
  kind: string | null;
  seconds: number;
}

/** Newest checks of a type of which the median is taken. */
const SAMPLE_MAX = 300;

/** Reads how long runs of each type and kind take at hosted locations: the median over the newest checks that were measured. */
export function readTypicalRuns(db: Knex, nowMs: number): Promise<TypicalRow[]> {
  const samples = checkTypes.types.map(
    (type) =>
      `(SELECT key, type, config, location_ids FROM checks WHERE enabled AND type = '${type}' ORDER BY key DESC LIMIT ${SAMPLE_MAX})`,
  );
  return queryRows(
    db,
    `SELECT c.type, ${KIND} AS kind,
       (percentile_cont(0.5) WITHIN GROUP (ORDER BY h.mean_us) / 1000000.0)::float8 AS seconds
     FROM (${samples.join(" UNION ALL ")}) c
     JOIN locations l ON l.id = ANY (c.location_ids) AND l.team_id IS NULL
     JOIN LATERAL ${meanUs(db)} ON h.mean_us IS NOT NULL
     GROUP BY 1, 2`,
    { fromMs: wholeMs(nowMs - DAY_MS) },
  );
}

/** A check that a preview changes, as it is now. */
export interface ChangedCheckRow {
  id: CheckId;
  type: CheckType;
  kind: string | null;
  frequencySeconds: number;
  enabled: boolean;
  /** Mean response time by location, µs, of each that the check runs at; null: not measured. */
  meansUs: Record<string, number | null>;
}

/** Reads the checks of the team with these ids, in no order; others are left out. */
export function readChangedChecks(
  db: Knex,
  teamId: TeamId,
  { ids, nowMs }: { ids: readonly string[]; nowMs: number },
): Promise<ChangedCheckRow[]> {
  const condition = "c.team_id = :teamId AND c.id = ANY (:ids)";
  const means = meansOf(db, `SELECT c.key FROM checks c WHERE ${condition}`);
  return queryRows(
    db,
    `${means.begin}SELECT c.id, c.type, ${KIND} AS kind, c.frequency_seconds, c.enabled, coalesce((
       SELECT json_object_agg(l.id, h.mean_us) FROM locations l ${means.join}
       WHERE l.id = ANY (c.location_ids)), '{}') AS means_us
     FROM checks c WHERE ${condition}`,
    { teamId, ids: [...ids], fromMs: wholeMs(nowMs - DAY_MS) },
  );
}

/** Reads the names of checks of the team. */
export function readCheckNames(
  db: Knex,
  teamId: TeamId,
  keys: readonly number[],
): Promise<{ key: number; id: CheckId; name: string }[]> {
  return queryRows(db, "SELECT key, id, name FROM checks WHERE team_id = :teamId AND key = ANY (:keys)", {
    teamId,
    keys: [...keys],
  });
}

function numbers(text: string): number[] {
  return text.split(",").map(Number);
}
