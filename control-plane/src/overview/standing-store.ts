/** SQL of how the checks of a team stand at this moment: counts of all, and more of those that fail. */
import {
  type CheckId,
  type CheckType,
  DAY_MS,
  OVERVIEW_FAILING_MAX,
  OVERVIEW_RECENT_MAX,
  type Severity,
  STATUS_CODES,
  type TeamId,
  wholeMs,
} from "@svc/contract";
import type { Knex } from "knex";
import { perRow } from "../platform/db/engine-sql.ts";
import { queryRows } from "../platform/db/rows.ts";
import { newestToMs } from "../platform/db/slot-bindings.ts";
import type { TimeRange } from "../results/coverage/time-range.ts";
import { healthMsSql, type NewestRange, newestResults } from "../results/newest-range.ts";
import { readOldestSlotMs } from "../results/oldest-slot-store.ts";
import { windowsBefore } from "../results/slot-windows.ts";
import { readFailingSince } from "./failing-since-store.ts";

/** Checks without a recent result that are looked at for whether they ever ran. */
const SILENT_MAX = 50;

/** Counts of a team's checks by health, and the ones to look at closer. */
export interface Standing {
  total: number;
  disabled: number;
  unknown: number;
  unhealthy: number;
  /** Unhealthy checks, those with the gravest open alert and the most failing locations first. */
  failing: FailingKeys[];
  /** Keys of enabled checks without a recent result, the oldest first; not all, if there are many. */
  silent: number[];
}

/** A failing check, with the keys of the locations where its newest result is no success. */
export interface FailingKeys {
  key: number;
  severity: Severity | null;
  locationKeys: number[];
}

/** An instant, Unix ms, and the range in which the newest results lie then. */
export interface NewestAt {
  nowMs: number;
  range: NewestRange;
}

/** Reads how the team's checks stand, by the newest result of each of their locations, as the summary of checks tells it. */
export async function readStanding(db: Knex, teamId: TeamId, { nowMs, range }: NewestAt): Promise<Standing> {
  const [row] = await queryRows<Standing>(
    db,
    `WITH standing AS MATERIALIZED (
       SELECT c.key, c.enabled, c.paused, count(n.status) AS seen,
         array_agg(l.key) FILTER (WHERE n.status <> ${STATUS_CODES.success}) AS failing
       FROM checks c
       LEFT JOIN LATERAL (SELECT key FROM locations WHERE id = ANY (c.location_ids)) l ON true
       LEFT JOIN LATERAL ${perRow(db, {
         as: "n",
         columns: "slot_ms bigint, status smallint",
         select: newestResults(range, {
           columns: "slot_ms, status",
           checkKey: "c.key",
           locationKey: "l.key",
           frequencySeconds: "c.frequency_seconds",
         }),
       })} ON n.slot_ms >= :nowMs - ${healthMsSql("c.frequency_seconds")}
       WHERE c.team_id = :teamId GROUP BY c.key
     ), failing AS (
       SELECT s.key, s.failing AS "locationKeys",
         (SELECT severity FROM alert_instances WHERE check_key = s.key AND state IN ('active', 'acknowledged')
          ORDER BY array_position(ARRAY['critical', 'warning', 'info'], severity) LIMIT 1) AS severity
       FROM standing s WHERE enabled AND failing IS NOT NULL
     )
     SELECT count(*)::integer AS total, count(*) FILTER (WHERE NOT enabled)::integer AS disabled,
       count(*) FILTER (WHERE enabled AND seen = 0)::integer AS unknown,
       count(*) FILTER (WHERE enabled AND failing IS NOT NULL)::integer AS unhealthy,
       (SELECT coalesce(json_agg(f), '[]') FROM (SELECT * FROM failing
          ORDER BY array_position(ARRAY['critical', 'warning', 'info'], severity), cardinality("locationKeys") DESC, key
          LIMIT ${OVERVIEW_FAILING_MAX}) f) AS failing,
       (SELECT coalesce(json_agg(key), '[]') FROM (SELECT key FROM standing
          WHERE enabled AND NOT paused AND seen = 0 ORDER BY key LIMIT ${SILENT_MAX}) k) AS silent
     FROM standing`,
    { teamId, nowMs: wholeMs(nowMs), ...range },
  );
  return row as Standing;
}

/** A failing check as an overview shows it. */
export interface FailingRow {
  id: CheckId;
  key: number;
  name: string;
  type: CheckType;
  locationCount: number;
  locations: { id: string; name: string }[];
  /** Slot of the first failure since the last success, at the location that fails longest. */
  sinceMs: number;
  locationKey: number;
  /** Of the newest failing result. */
  slotMs: number;
  status: number;
  errorMessage: string | null;
  /** Status codes of the newest results over all locations, the newest last. */
  recent: number[];
}

/** Reads more of failing checks. One whose results are gone meanwhile is left out. */
export async function readFailing(
  db: Knex,
  failing: readonly FailingKeys[],
  { nowMs, range }: NewestAt,
): Promise<FailingRow[]> {
  if (failing.length === 0) return [];
  const failures = failing.flatMap(({ key, locationKeys }) =>
    locationKeys.map((locationKey) => ({ key, locationKey })),
  );
  const keys = failing.map(({ key }) => key);
  const sinces = await readFailingSince(db, failures, nowMs);
  return queryRows(
    db,
    `WITH failing AS MATERIALIZED (
       SELECT p.check_key, p.location_key, n.slot_ms, n.status, p.since_ms
       FROM unnest(CAST(:checkKeys AS bigint[]), CAST(:locationKeys AS integer[]), CAST(:sinces AS bigint[]))
         AS p (check_key, location_key, since_ms)
       JOIN checks f ON f.key = p.check_key
       CROSS JOIN LATERAL ${perRow(db, {
         as: "n",
         columns: "slot_ms bigint, status smallint",
         select: newestResults(range, {
           columns: "slot_ms, status",
           checkKey: "p.check_key",
           locationKey: "p.location_key",
           frequencySeconds: "f.frequency_seconds",
         }),
       })}
       WHERE p.since_ms IS NOT NULL
     )
     SELECT c.id, c.key, c.name, c.type, cardinality(c.location_ids) AS location_count,
       (SELECT json_agg(json_build_object('id', l.id, 'name', l.display_name) ORDER BY p.since_ms, l.key)
        FROM failing p JOIN locations l ON l.key = p.location_key WHERE p.check_key = c.key) AS locations,
       (SELECT min(since_ms) FROM failing p WHERE p.check_key = c.key) AS since_ms,
       n.location_key, n.slot_ms, n.status,
       (SELECT message FROM ${perRow(db, {
         as: "d",
         columns: "message text",
         select: `SELECT detail ->> 'errorMessage' AS message FROM result_details
           WHERE check_key = {c.key} AND location_key = {n.location_key} AND slot_ms = {n.slot_ms}
             AND slot_ms BETWEEN {:oldestMs} AND {:newestToMs}`,
       })}) AS error_message,
       (SELECT array_agg(r.status ORDER BY r.slot_ms) FROM (
          SELECT q.slot_ms, q.status FROM locations l CROSS JOIN LATERAL ${perRow(db, {
            as: "q",
            columns: "slot_ms bigint, status smallint",
            select: `SELECT slot_ms, status FROM results WHERE check_key = {c.key} AND location_key = {l.key}
              AND slot_ms BETWEEN {:recentFromMs} AND {:newestToMs} ORDER BY slot_ms DESC LIMIT ${OVERVIEW_RECENT_MAX}`,
          })}
          WHERE l.id = ANY (c.location_ids) ORDER BY q.slot_ms DESC LIMIT ${OVERVIEW_RECENT_MAX}) r) AS recent
     FROM checks c
     CROSS JOIN LATERAL (SELECT * FROM failing p WHERE p.check_key = c.key ORDER BY slot_ms DESC, location_key LIMIT 1) n
     WHERE c.key = ANY(CAST(:keys AS bigint[]))`,
    {
      checkKeys: list(failures.map(({ key }) => key)),
      locationKeys: list(failures.map(({ locationKey }) => locationKey)),
      keys: list(keys),
      sinces: `{${sinces.map((sinceMs) => sinceMs ?? "NULL").join(",")}}`,
      ...range,
      oldestMs: range.rareFromMs ?? range.newestFromMs,
      recentFromMs: wholeMs(nowMs - DAY_MS),
    },
  );
}

/** Reads which of the checks have no result at all, and are old enough to have one. */
export async function readNeverRan(
  db: Knex,
  keys: readonly number[],
  nowMs: number,
): Promise<{ id: string; name: string }[]> {
  if (keys.length === 0) return [];
  const known = await queryRows<{ key: number; id: string; name: string }>(
    db,
    `SELECT key, id, name FROM checks WHERE key = ANY(CAST(:keys AS bigint[]))
       AND created_at < to_timestamp((CAST(:nowMs AS bigint) - 2000::bigint * frequency_seconds - 60000) / 1000.0)
     ORDER BY key`,
    { keys: list(keys), nowMs: wholeMs(nowMs) },
  );
  let silent = known;
  const readWithin = async (window: TimeRange) => {
    const ran = new Set(await readKeysWithResults(db, silent, window));
    silent = silent.filter(({ key }) => !ran.has(key));
  };
  if (silent.length > 0) await readWithin({ fromMs: nowMs - DAY_MS, toMs: newestToMs(nowMs) });
  if (silent.length > 0) {
    const endMs = await readOldestSlotMs(db);
    for (const window of windowsBefore(nowMs - DAY_MS, { searchedMs: DAY_MS, endMs })) {
      await readWithin(window);
      if (silent.length === 0) break;
    }
  }
  return silent.map(({ id, name }) => ({ id, name }));
}

async function readKeysWithResults(
  db: Knex,
  checks: readonly { key: number }[],
  { fromMs, toMs }: TimeRange,
): Promise<number[]> {
  const rows = await queryRows<{ key: number }>(
    db,
    `SELECT c.key FROM unnest(CAST(:keys AS bigint[])) AS c (key) WHERE EXISTS (SELECT FROM ${perRow(db, {
      as: "r",
      columns: "one integer",
      select:
        "SELECT 1 AS one FROM results WHERE check_key = {c.key} AND slot_ms BETWEEN {:fromMs} AND {:toMs} LIMIT 1",
    })})`,
    { keys: list(checks.map(({ key }) => key)), fromMs: wholeMs(fromMs), toMs: wholeMs(toMs) },
  );
  return rows.map(({ key }) => key);
}

function list(values: readonly number[]): string {
  return `{${values.join(",")}}`;
}
