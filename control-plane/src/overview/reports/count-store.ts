/** SQL by which days are counted for reports: the checks and SLOs there are, and the counts of their days. */
import { DAY_MS, type SliType, type SloId, type TeamId, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { perRow } from "../../platform/db/engine-sql.ts";
import { defineRecordset, TEXT_ARRAY } from "../../platform/db/recordset.ts";
import { queryRows } from "../../platform/db/rows.ts";
import type { TimeRange } from "../../results/coverage/time-range.ts";
import { deleteInSteps } from "../../results/retention/delete-in-steps.ts";
import { advanceDoneUntil, readDoneUntil } from "../../results/rollups/store.ts";
import { type ScheduledCheck, WHY_MISSING } from "../team-slots-store.ts";
import type { Counts } from "./figures.ts";

/** A check whose days are counted. */
export interface CheckToCount extends ScheduledCheck {
  teamId: TeamId;
  name: string;
  labels: string[];
}

/** Reads checks of all teams, in the order of their keys. */
export function readChecksToCount(
  db: Knex,
  { afterKey, limit }: { afterKey: number; limit: number },
): Promise<CheckToCount[]> {
  return queryRows(
    db,
    `SELECT c.*, ARRAY(SELECT label FROM check_labels l WHERE l.check_key = c.key ORDER BY label COLLATE "C") AS labels
     FROM (SELECT key, id, team_id, name, ${WHY_MISSING} FROM checks WHERE key > :afterKey ORDER BY key LIMIT :limit) c
     ORDER BY c.key`,
    { afterKey, limit },
  );
}

/** A time in which missed slots of a check at one location are counted. */
export interface MissedPart extends TimeRange {
  checkKey: number;
  locationKey: number;
}

/** Slots of a check that have no result, by one reason. */
export interface ReasonCount {
  checkKey: number;
  reason: string;
  count: number;
}

/** Counts the slots of the parts that have no result and a recorded reason. The range holds all parts. */
export async function countRecordedReasons(
  db: Knex,
  parts: readonly MissedPart[],
  range: TimeRange,
): Promise<ReasonCount[]> {
  if (parts.length === 0) return [];
  const result = perRow(db, {
    as: "r",
    columns: "one integer",
    select: `SELECT 1 AS one FROM results r WHERE r.check_key = {m.check_key} AND r.location_key = {m.location_key}
      AND r.slot_ms = {m.slot_ms} AND r.slot_ms >= {:rangeFrom} AND r.slot_ms < {:rangeTo}`,
  });
  return queryRows(
    db,
    `SELECT p.check_key, m.reason, count(*)::integer AS count
     FROM unnest(CAST(:checkKeys AS bigint[]), CAST(:locationKeys AS integer[]), CAST(:from AS bigint[]), CAST(:to AS bigint[]))
       AS p (check_key, location_key, from_ms, to_ms)
     JOIN missed_slots m ON m.check_key = p.check_key AND m.location_key = p.location_key
       AND m.slot_ms >= p.from_ms AND m.slot_ms < p.to_ms
     WHERE NOT EXISTS (SELECT FROM ${result})
     GROUP BY p.check_key, m.reason`,
    {
      checkKeys: parts.map(({ checkKey }) => checkKey),
      locationKeys: parts.map(({ locationKey }) => locationKey),
      from: parts.map(({ fromMs }) => wholeMs(fromMs)),
      to: parts.map(({ toMs }) => wholeMs(toMs)),
      rangeFrom: wholeMs(range.fromMs),
      rangeTo: wholeMs(range.toMs),
    },
  );
}

/** The counts of a check on one day. */
export interface CountedCheck
  extends Pick<CheckToCount, "key" | "id" | "teamId" | "name" | "labels">,
    Counts {
  givenBack: number;
  inMaintenance: number;
  /** Number of missing slots by reason; null: none is missing. */
  missingReasons: Record<string, number> | null;
}

const COUNTED_CHECKS = defineRecordset({
  key: "bigint",
  id: "text",
  teamId: "text",
  name: "text",
  labels: TEXT_ARRAY,
  expected: "integer",
  received: "integer",
  success: "integer",
  givenBack: "integer",
  inMaintenance: "integer",
  missingReasons: "jsonb",
});

/** Stores the counts of checks on a day in place of earlier ones. Those of teams that were deleted meanwhile are left out. */
export async function storeCheckDays(
  db: Knex,
  { month, dayMs }: { month: string; dayMs: number },
  checks: readonly CountedCheck[],
): Promise<void> {
  if (checks.length === 0) return;
  await db.raw(
    `WITH counted AS MATERIALIZED (
       SELECT r.*, ARRAY(SELECT jsonb_array_elements_text(r.labels)) AS label_texts
       FROM ${COUNTED_CHECKS.as("r", ":rows")} JOIN teams t ON t.id = r."teamId"
     ), days AS (
       INSERT INTO report_days (team_id, day_ms, check_key, expected, received, success, given_back, in_maintenance, missing_reasons)
       SELECT "teamId", :dayMs, key, expected, received, success, "givenBack", "inMaintenance", "missingReasons" FROM counted
       ON CONFLICT (team_id, day_ms, check_key) DO UPDATE SET expected = excluded.expected, received = excluded.received,
         success = excluded.success, given_back = excluded.given_back, in_maintenance = excluded.in_maintenance,
         missing_reasons = excluded.missing_reasons
     )
     INSERT INTO report_checks (team_id, month, check_key, check_id, name, labels)
     SELECT "teamId", :month, key, id, name, label_texts FROM counted
     ON CONFLICT (team_id, month, check_key) DO UPDATE SET name = excluded.name, labels = excluded.labels
     WHERE (report_checks.name, report_checks.labels) IS DISTINCT FROM (excluded.name, excluded.labels)`,
    { rows: JSON.stringify(checks), month, dayMs: wholeMs(dayMs) },
  );
}

/** An SLO whose days are counted. */
export interface SloToCount {
  key: number;
  id: SloId;
  teamId: TeamId;
  name: string;
  checkKey: number | null;
  checkName: string | null;
  patternKey: number | null;
  perfThresholdMs: number | null;
  sliType: SliType;
  targetBasisPoints: number;
}

/** Reads SLOs of all teams that there were before an instant, in the order of their keys. */
export function readSlosToCount(
  db: Knex,
  { afterKey, limit, createdBeforeMs }: { afterKey: number; limit: number; createdBeforeMs: number },
): Promise<SloToCount[]> {
  return queryRows(
    db,
    `SELECT s.key, s.id, s.team_id, s.name, s.check_key, c.name AS check_name, p.key AS pattern_key,
       s.perf_threshold_ms, s.sli_type, s.target_basis_points
     FROM slos s LEFT JOIN checks c ON c.key = s.check_key LEFT JOIN third_party_patterns p ON p.id = s.pattern_id
     WHERE s.key > :afterKey AND s.created_at < :before ORDER BY s.key LIMIT :limit`,
    { afterKey, limit, before: new Date(createdBeforeMs) },
  );
}

const COUNTED_SLOS = defineRecordset({
  key: "bigint",
  id: "text",
  teamId: "text",
  name: "text",
  checkName: "text",
  sliType: "text",
  targetBasisPoints: "integer",
  total: "integer",
  good: "integer",
});

/** Stores the counts of SLOs on a day in place of earlier ones. */
export async function storeSloDays(
  db: Knex,
  dayMs: number,
  slos: readonly (SloToCount & { total: number; good: number })[],
): Promise<void> {
  if (slos.length === 0) return;
  await db.raw(
    `INSERT INTO report_slo_days (team_id, day_ms, slo_key, slo_id, name, check_name, sli_type, target_basis_points, total, good)
     SELECT r."teamId", :dayMs, r.key, r.id, r.name, r."checkName", r."sliType", r."targetBasisPoints", r.total, r.good
     FROM ${COUNTED_SLOS.as("r", ":rows")} JOIN teams t ON t.id = r."teamId"
     ON CONFLICT (team_id, day_ms, slo_key) DO UPDATE SET name = excluded.name, check_name = excluded.check_name,
       sli_type = excluded.sli_type, target_basis_points = excluded.target_basis_points, total = excluded.total, good = excluded.good`,
    { rows: JSON.stringify(slos), dayMs: wholeMs(dayMs) },
  );
}

/** Notes for all teams that there were on a day that it was counted, and sums the month up so far. */
export async function storeCountedDay(
  db: Knex,
  { month, dayMs, bit }: { month: string; dayMs: number; bit: number },
  { fromMs, toMs }: TimeRange,
): Promise<void> {
  await db.raw(
    `WITH sums AS (
       SELECT team_id, sum(expected) AS expected, sum(received) AS received, sum(success) AS success
       FROM report_days WHERE day_ms >= :fromMs AND day_ms < :toMs GROUP BY team_id
     )
     INSERT INTO report_months (team_id, month, counted_days, check_count, expected, received, success)
     SELECT t.id, :month, :bit,
       (SELECT count(*) FROM report_checks c WHERE c.team_id = t.id AND c.month = :month), coalesce(s.expected, 0), coalesce(s.received, 0), coalesce(s.success, 0)
     FROM teams t LEFT JOIN sums s ON s.team_id = t.id WHERE t.created_at < :dayEnd
     ON CONFLICT (team_id, month) DO UPDATE SET counted_days = report_months.counted_days | excluded.counted_days,
       check_count = excluded.check_count, expected = excluded.expected, received = excluded.received, success = excluded.success`,
    {
      month,
      bit,
      fromMs: wholeMs(fromMs),
      toMs: wholeMs(toMs),
      dayEnd: new Date(dayMs + DAY_MS),
    },
  );
}

/** Removes the counts of the months before this one. */
export async function forgetReportsBefore(db: Knex, month: string, fromMs: number): Promise<void> {
  for (const table of ["report_days", "report_slo_days"])
    await deleteInSteps(db, { table, condition: "day_ms < ?", binding: fromMs });
  for (const table of ["report_checks", "report_months"])
    await deleteInSteps(db, { table, condition: "month < ?", binding: month });
}

const JOB = "reports";

/** Reads up to which instant days are counted, Unix ms; undefined: none is. */
export function readCountedUntil(db: Knex): Promise<number | undefined> {
  return readDoneUntil(db, JOB);
}

/** Stores up to which instant days are counted, Unix ms; it never goes back. */
export function saveCountedUntil(db: Knex, untilMs: number): Promise<void> {
  return advanceDoneUntil(db, JOB, wholeMs(untilMs));
}
