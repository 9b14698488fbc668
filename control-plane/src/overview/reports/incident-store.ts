/** SQL of the incidents of a month. Incidents that were folded into others count with these. */
import type { ReportIncident } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { MonthOfTeam } from "./read-store.ts";

const ENDED_AT = "CASE WHEN state IN ('resolved', 'closed') THEN coalesce(resolved_at, closed_at) END";

/** The incidents of the month, as a relation: those that were open at some time of it. */
const IN_MONTH = `(SELECT key, id, title, severity, state, opened_at, ended_at FROM (
    SELECT *, ${ENDED_AT} AS ended_at FROM incidents
    WHERE team_id = :teamId AND opened_at < :to AND merged_into IS NULL) i
  WHERE ended_at IS NULL OR ended_at >= :from) i`;

/** Counts of the incidents of a month. */
export interface IncidentCounts {
  all: number;
  opened: number;
  ended: number;
  openAtBegin: number;
}

/** Counts the incidents of a month. */
export async function countIncidents(db: Knex, month: MonthOfTeam): Promise<IncidentCounts> {
  const [row] = await queryRows<IncidentCounts>(
    db,
    `SELECT count(*)::integer AS all, (count(*) FILTER (WHERE opened_at >= :from))::integer AS opened,
       (count(*) FILTER (WHERE ended_at < :to))::integer AS ended,
       (count(*) FILTER (WHERE opened_at < :from))::integer AS open_at_begin
     FROM ${IN_MONTH}`,
    bindingsOf(month),
  );
  return row ?? { all: 0, opened: 0, ended: 0, openAtBegin: 0 };
}

/** Reads the incidents of a month, the gravest first, of these the newest. */
export function readIncidents(db: Knex, month: MonthOfTeam, limit: number): Promise<ReportIncident[]> {
  return queryRows(
    db,
    `SELECT id, title, severity, state, opened_at, ended_at FROM ${IN_MONTH}
     ORDER BY array_position(ARRAY['critical', 'warning', 'info'], severity), opened_at DESC, key DESC LIMIT :limit`,
    { ...bindingsOf(month), limit },
  );
}

function bindingsOf({ teamId, fromMs, toMs }: MonthOfTeam) {
  return { teamId, from: new Date(fromMs), to: new Date(toMs) };
}
