/** SQL by which reports are read: sums of counted days. */
import type { CheckId, SliType, SloId, TeamId } from "@svc/contract";
import { wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { TimeRange } from "../../results/coverage/time-range.ts";
import type { Counts } from "./figures.ts";

/** A team's month with what was counted in it. */
export interface MonthRow extends Counts {
  month: string;
  /** A bit for each day that was counted. */
  countedDays: number;
  checkCount: number;
}

/** Reads the months of a team of which something was counted, newest first. */
export function readMonths(db: Knex, teamId: TeamId): Promise<MonthRow[]> {
  return queryRows(
    db,
    `SELECT month, counted_days, check_count, expected, received, success FROM report_months
     WHERE team_id = :teamId AND check_count > 0 ORDER BY month DESC`,
    { teamId },
  );
}

/** Reads a month of a team; undefined when none of its days was counted. */
export async function findMonth(db: Knex, teamId: TeamId, month: string): Promise<MonthRow | undefined> {
  const [row] = await queryRows<MonthRow>(
    db,
    `SELECT month, counted_days, check_count, expected, received, success FROM report_months
     WHERE team_id = :teamId AND month = :month`,
    { teamId, month },
  );
  return row;
}

/** Reads when a team was created, Unix ms; undefined when there is no such team. */
export async function readTeamCreatedAt(db: Knex, teamId: TeamId): Promise<number | undefined> {
  const [row] = await queryRows<{ createdMs: number }>(
    db,
    "SELECT (extract(epoch FROM created_at) * 1000)::bigint AS created_ms FROM teams WHERE id = ?",
    [teamId],
  );
  return row?.createdMs;
}

/** A month of a team. */
export interface MonthOfTeam extends TimeRange {
  teamId: TeamId;
  month: string;
}

/** The sums of all checks on a day. */
export interface DayRow extends Counts {
  dayMs: number;
  givenBack: number;
  inMaintenance: number;
}

/** Reads the sums of the days of a month; a day on which nothing was counted is missing. */
export function readDaySums(db: Knex, month: MonthOfTeam): Promise<DayRow[]> {
  return queryRows(
    db,
    `SELECT day_ms, sum(expected)::bigint AS expected, sum(received)::bigint AS received, sum(success)::bigint AS success,
       sum(given_back)::bigint AS given_back, sum(in_maintenance)::bigint AS in_maintenance
     FROM report_days WHERE ${IN_MONTH} GROUP BY day_ms ORDER BY day_ms`,
    bindingsOf(month),
  );
}

/** Reads why slots of a month are missing: each reason that was counted with the number of slots. */
export function readReasonSums(db: Knex, month: MonthOfTeam): Promise<{ reason: string; count: number }[]> {
  return queryRows(
    db,
    `SELECT r.key AS reason, sum(r.value::bigint)::bigint AS count
     FROM report_days CROSS JOIN LATERAL jsonb_each_text(missing_reasons) r
     WHERE ${IN_MONTH} AND missing_reasons IS NOT NULL GROUP BY r.key ORDER BY 2 DESC, 1`,
    bindingsOf(month),
  );
}

const IN_MONTH = "team_id = :teamId AND day_ms >= :fromMs AND day_ms < :toMs";

/** Share of successes in basis points, by which what is worst comes first; what has no result comes last. */
const RANK = "CASE WHEN sum(received) = 0 THEN 10001 ELSE sum(success) * 10000 / sum(received) END";

const SUMS =
  "sum(expected)::bigint AS expected, sum(received)::bigint AS received, sum(success)::bigint AS success";

/** The checks of a month with their sums, as a relation. */
const CHECK_SUMS = `(SELECT check_key, ${SUMS}, (${RANK})::integer AS rank FROM report_days WHERE ${IN_MONTH} GROUP BY check_key)`;

/** A check of a month. */
export interface CheckRow extends Counts {
  key: number;
  /** Share of successes in basis points; 10001: it has no result. */
  rank: number;
  checkId: CheckId;
  name: string;
  labels: string[];
  isDeleted: boolean;
}

/** Reads checks of a month, the worst first. */
export function readCheckSums(
  db: Knex,
  month: MonthOfTeam,
  {
    after,
    rowsMax,
    offset,
  }: { after: readonly [rank: number, key: number] | undefined; rowsMax: number; offset: number },
): Promise<CheckRow[]> {
  return queryRows(
    db,
    `SELECT s.check_key AS key, s.rank, k.check_id, k.name, k.labels, s.expected, s.received, s.success,
       NOT EXISTS (SELECT FROM checks c WHERE c.key = s.check_key) AS is_deleted
     FROM ${CHECK_SUMS} s
     JOIN report_checks k ON k.team_id = :teamId AND k.month = :month AND k.check_key = s.check_key
     ${after ? "WHERE (s.rank, s.check_key) > (CAST(:rank AS integer), CAST(:key AS bigint))" : ""}
     ORDER BY s.rank, s.check_key LIMIT :rowsMax OFFSET :offset`,
    { ...bindingsOf(month), rowsMax, offset, ...(after && { rank: after[0], key: after[1] }) },
  );
}

/** The sums of the checks that have one label. */
export interface LabelRow extends Counts {
  label: string;
  checkCount: number;
  /** Number of labels that there are. */
  labelCount: number;
}

/** Reads the labels of a month, the worst first. */
export function readLabelSums(db: Knex, month: MonthOfTeam, limit: number): Promise<LabelRow[]> {
  return queryRows(
    db,
    `SELECT label, count(*)::integer AS check_count, ${SUMS}, (count(*) OVER ())::integer AS label_count
     FROM ${CHECK_SUMS} s
     JOIN report_checks k ON k.team_id = :teamId AND k.month = :month AND k.check_key = s.check_key
     CROSS JOIN LATERAL unnest(k.labels) AS label
     GROUP BY label ORDER BY ${RANK}, label COLLATE "C" LIMIT :limit`,
    { ...bindingsOf(month), limit },
  );
}

/** An SLO of a month with its sums. */
export interface SloRow {
  sloId: SloId;
  name: string;
  checkName: string | null;
  sliType: SliType;
  targetBasisPoints: number;
  total: number;
  good: number;
  countedDays: number;
  isDeleted: boolean;
  /** Number of SLOs that there are. */
  sloCount: number;
}

/** Reads the SLOs of a month, those that spent most of their budgets first, as each was on its last day. */
export function readSloSums(db: Knex, month: MonthOfTeam, limit: number): Promise<SloRow[]> {
  return queryRows(
    db,
    `SELECT s.slo_id, d.name, d.check_name, d.sli_type, d.target_basis_points, s.total, s.good, s.counted_days,
       NOT EXISTS (SELECT FROM slos o WHERE o.key = s.slo_key) AS is_deleted, (count(*) OVER ())::integer AS slo_count
     FROM (SELECT slo_key, slo_id, sum(total)::bigint AS total, sum(good)::bigint AS good, count(*)::integer AS counted_days,
             max(day_ms) AS last_day_ms
           FROM report_slo_days WHERE ${IN_MONTH} GROUP BY slo_key, slo_id) s
     JOIN report_slo_days d ON d.team_id = :teamId AND d.day_ms = s.last_day_ms AND d.slo_key = s.slo_key
     ORDER BY CASE WHEN s.total > 0 THEN (s.total - s.good) / (s.total * (10000.0 - d.target_basis_points)) END DESC NULLS LAST,
       s.slo_key
     LIMIT :limit`,
    { ...bindingsOf(month), limit },
  );
}

function bindingsOf({ teamId, month, fromMs, toMs }: MonthOfTeam) {
  return { teamId, month, fromMs: wholeMs(fromMs), toMs: wholeMs(toMs) };
}
