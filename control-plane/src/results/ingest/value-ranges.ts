/** Judges the measured values of results by the ranges of their columns. Pure. */
import { RESULT_COLUMNS } from "@svc/contract";
import type { ResultColumns } from "./columns.ts";

const RANGED_COLUMNS = RESULT_COLUMNS.filter((column) => "range" in column);

/**
 * Returns, by row, the first value that can't be stored and why. Goes column by column: a loop over one array of
 * numbers costs a fraction of looking into every column of each row.
 */
export function findWrongValues(columns: ResultColumns): ReadonlyMap<number, string> {
  const reasons = new Map<number, string>();
  for (const column of RANGED_COLUMNS) {
    const [min, max] = column.range;
    const values = columns[column.batchField];
    for (let row = 0; row < values.length; row++) {
      const value = values[row] as number;
      const isInRange = value >= min && value <= max; // false for NaN too, which REST can't send and a faulty sender might
      if (!isInRange && !reasons.has(row)) reasons.set(row, wrongValue(column, value));
    }
  }
  return reasons;
}

function wrongValue(column: (typeof RANGED_COLUMNS)[number], value: number): string {
  if (column.name === "status") return `status ${value} is unknown`;
  if ("none" in column && column.none === -1)
    return "a phase is out of range: expected microseconds, or -1 when it did not happen";
  return `${column.sqlName} ${value} is out of range`;
}
