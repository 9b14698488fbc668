/** SQL of the slots of a check: counts of its results by cell, and its missing slots. Bounded by the spans that are given. */
import { wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { SlotSpan } from "../coverage/expected-slots.ts";
import { IN_BOUNDS, LATE_MS, SPANS, spanBindings } from "../coverage/store.ts";
import type { TimeRange } from "../coverage/time-range.ts";
import type { CellGrid } from "./cells.ts";

/** The results of one location in one cell. */
export interface CellRow {
  locationKey: number;
  cellMs: number;
  received: number;
  late: number;
  /** Code of the worst status: codes ascend from best to worst. */
  worst: number;
  /** Newest slot with the worst status. */
  worstSlotMs: number;
}

/** Counts the results of the spans by location and cell. */
export function countByCells(
  db: Knex,
  checkKey: number,
  { spans, grid }: { spans: readonly SlotSpan[]; grid: CellGrid },
): Promise<CellRow[]> {
  const cell =
    grid.cellMs === null
      ? "r.slot_ms"
      : "CAST(:fromMs AS bigint) + (r.slot_ms + s.stagger - :fromMs) / CAST(:cellMs AS bigint) * :cellMs";
  // A slot is less than 2^48 ms, so that status and slot in one number sort by status, then by slot.
  return queryRows(
    db,
    `SELECT location_key, cell_ms, received, late, worst >> 48 AS worst, worst & ((1::bigint << 48) - 1) AS worst_slot_ms
     FROM (
       SELECT s.location_key, ${cell} AS cell_ms, count(*)::integer AS received,
         (count(*) FILTER (WHERE r.start_delay_ms - s.stagger > :lateMs))::integer AS late,
         max(CAST(r.status AS bigint) << 48 | r.slot_ms) AS worst
       FROM ${SPANS}
       CROSS JOIN LATERAL (
         SELECT slot_ms, start_delay_ms, status FROM results
         WHERE check_key = :checkKey AND location_key = s.location_key AND ${IN_BOUNDS}
           AND slot_ms BETWEEN s.first_slot AND s.last_slot AND (slot_ms - s.first_slot) % s.period = 0
         OFFSET 0) r
       GROUP BY 1, 2) AS cells`,
    {
      ...spanBindings(spans),
      checkKey,
      lateMs: wholeMs(LATE_MS),
      ...(grid.cellMs !== null && { fromMs: wholeMs(grid.fromMs), cellMs: wholeMs(grid.cellMs) }),
    },
  );
}

/** Reads the times in which a maintenance window stopped the check, oldest first. */
export function readPauses(db: Knex, checkKey: number, { fromMs, toMs }: TimeRange): Promise<TimeRange[]> {
  return queryRows(
    db,
    `SELECT (extract(epoch FROM o.starts_at) * 1000)::bigint AS from_ms,
       (extract(epoch FROM o.ends_at) * 1000)::bigint AS to_ms
     FROM checks c JOIN maintenance_windows w ON w.team_id = c.team_id AND w.mode = 'pause'
     JOIN maintenance_occurrences o ON o.window_key = w.key
     WHERE c.key = :checkKey AND o.starts_at < to_timestamp(CAST(:toMs AS bigint) / 1000.0) AND o.ends_at > to_timestamp(CAST(:fromMs AS bigint) / 1000.0)
       AND (w.is_for_all_checks
            OR EXISTS (SELECT FROM maintenance_window_checks m WHERE m.window_key = w.key AND m.check_key = c.key))
     ORDER BY o.starts_at LIMIT 1000`,
    { checkKey, fromMs: wholeMs(fromMs), toMs: wholeMs(toMs) },
  );
}
