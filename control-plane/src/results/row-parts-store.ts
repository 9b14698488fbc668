/** SQL of single rows of results and their details, by keys `k (check_key, location_key, slot_ms)` that stand before them in FROM. */
import { RESULT_COLUMNS } from "@svc/contract";
import type { PerRow } from "../platform/db/engine-sql.ts";

/** The columns of a row of results that readers by key need. */
const COLUMNS = [
  ...RESULT_COLUMNS.map(({ sqlName, sqlType }) => ({ sqlName, sqlType })),
  { sqlName: "has_own_trace_id", sqlType: "boolean" },
  { sqlName: "created_at", sqlType: "timestamptz" },
];

// OFFSET 0 keeps the planner from turning look-ups by key into a scan.
const AT_KEY = `check_key = {k.check_key} AND location_key = {k.location_key} AND slot_ms = {k.slot_ms}
  AND slot_ms BETWEEN {:minSlot} AND {:maxSlot} OFFSET 0`;

/** The row `r` of a key. Takes the bindings of `slotBindings`. */
export const RESULT_OF_KEY: PerRow = {
  as: "r",
  columns: COLUMNS.map(({ sqlName, sqlType }) => `${sqlName} ${sqlType}`).join(", "),
  select: `SELECT ${COLUMNS.map(({ sqlName }) => sqlName).join(", ")} FROM results WHERE ${AT_KEY}`,
};

/** The detail `d` of a key. Takes the bindings of `slotBindings`. */
export const DETAIL_OF_KEY: PerRow = {
  as: "d",
  columns: "detail jsonb",
  select: `SELECT detail FROM result_details WHERE ${AT_KEY}`,
};
