/** The order of the list of checks. Pure. */
import type { CheckRow } from "../../status/check-rows.ts";
import type { CheckState } from "../../status/words.ts";

/** Columns that the list can be sorted by. */
export type SortColumn = "name" | "responseTime" | "availability" | "frequency";

/** A chosen order; without one, checks that need somebody come first. */
export interface SortOrder {
  by: SortColumn;
  isDescending: boolean;
}

const NEED: readonly CheckState[] = ["unhealthy", "unknown", "healthy", "paused"];

const VALUES: Readonly<Record<SortColumn, (row: CheckRow) => number | string | null>> = {
  name: ({ name }) => name.toLowerCase(),
  responseTime: ({ responseTimeMs }) => responseTimeMs,
  availability: ({ availabilityBp }) => availabilityBp,
  frequency: ({ frequencySeconds }) => frequencySeconds,
};

/** Returns the rows in order; those without a value come last either way. */
export function sorted(rows: readonly CheckRow[], order: SortOrder | undefined): CheckRow[] {
  if (!order) return rows.toSorted((a, b) => NEED.indexOf(a.state) - NEED.indexOf(b.state));
  const readValue = VALUES[order.by];
  const direction = order.isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [left, right] = [readValue(a), readValue(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return left < right ? -direction : left > right ? direction : 0;
  });
}

/** Returns the order that a search parameter names, such as `-responseTime`; undefined: none. */
export function orderOf(text: string | null): SortOrder | undefined {
  const by = text?.replace(/^-/, "") ?? "";
  return by in VALUES ? { by: by as SortColumn, isDescending: text?.startsWith("-") ?? false } : undefined;
}
