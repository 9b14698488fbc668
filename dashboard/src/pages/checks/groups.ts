/** Groups of the list of checks. Pure. */
import { groupBy } from "@svc/contract";
import type { CheckRow } from "../../status/check-rows.ts";

/** What checks can be grouped by, with its words. */
export const groupings = [
  ["", "None"],
  ["label", "Label"],
  ["location", "Location"],
  ["type", "Type"],
  ["project", "Project"],
] as const;

/** A line of the list: a check, or the heading of those that follow. */
export type Line =
  | { readonly kind: "check"; readonly key: string; readonly row: CheckRow }
  | {
      readonly kind: "group";
      readonly key: string;
      readonly title: string;
      readonly checks: number;
      readonly healthy: number;
      readonly failing: number;
    };

/** Returns the groups that a check belongs to; none when nothing of it fits. */
const KEYS: Readonly<Record<string, (row: CheckRow) => readonly string[]>> = {
  label: ({ labels }) => labels,
  location: ({ locations }) => locations,
  type: ({ type }) => [type],
  project: ({ project }) => (project === null ? [] : [project]),
};

const NO_GROUP: Readonly<Record<string, string>> = {
  label: "Without a label",
  location: "Without a location",
  project: "Managed by nobody's deploy",
};

const lineOfRow = new WeakMap<CheckRow, Line>();

/** Returns the line of a check in a list without groups: one and the same for a row, so that what shows it need not be drawn again. */
function lineOf(row: CheckRow): Line {
  const line: Line = lineOfRow.get(row) ?? { kind: "check", key: row.id, row };
  lineOfRow.set(row, line);
  return line;
}

/**
 * Returns the lines of the list. A check stands in each of its groups; groups with failing checks come first, then by name, and checks
 * of no group last.
 * @param by key of {@link groupings}; an unknown one groups nothing
 * @param nameOf returns the name of a location
 */
export function linesOf(rows: readonly CheckRow[], by: string, nameOf: (id: string) => string): Line[] {
  const keysOf = KEYS[by];
  if (!keysOf) return rows.map(lineOf);
  const groups = groupBy(
    rows.flatMap((row) => {
      const keys = keysOf(row);
      return (keys.length === 0 ? [""] : keys).map((key) => ({ key, row }));
    }),
    ({ key }) => key,
  );
  return [...groups]
    .map(([key, members]) => ({
      key,
      members,
      title: key === "" ? (NO_GROUP[by] ?? "") : by === "location" ? nameOf(key) : key,
      failing: members.filter(({ row }) => row.state === "unhealthy").length,
      healthy: members.filter(({ row }) => row.state === "healthy").length,
    }))
    .sort(
      (a, b) =>
        Number(a.key === "") - Number(b.key === "") ||
        Number(b.failing > 0) - Number(a.failing > 0) ||
        a.title.localeCompare(b.title),
    )
    .flatMap(({ key, members, ...group }): Line[] => [
      { kind: "group", key: `group ${key}`, checks: members.length, ...group },
      ...members.map(({ row }): Line => ({ kind: "check", key: `${key} ${row.id}`, row })),
    ]);
}
