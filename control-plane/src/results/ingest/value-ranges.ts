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
    const values = columns[column.batchField];
    let row = nextOutside(values, column.range, 0);
    while (row < values.length) {
      if (!reasons.has(row)) reasons.set(row, wrongValue(column, values[row] as number));
      row = nextOutside(values, column.range, row + 1);
    }
  }
  return reasons;
}

/** Returns the first row from `from` on whose value is outside the range, or is NaN; the number of rows when there is none. */
function nextOutside(values: readonly number[], [min, max]: readonly [number, number], from: number): number {
  let row = from;
  while (row < values.length && (values[row] as number) >= min && (values[row] as number) <= max) row++;
  return row;
}

function wrongValue(column: (typeof RANGED_COLUMNS)[number], value: number): string {
  if (column.name === "status") return `status ${value} is unknown`;
  if ("none" in column && column.none === -1)
    return "a phase is out of range: expected microseconds, or -1 when it did not happen";
  return `${column.sqlName} ${value} is out of range`;
}
