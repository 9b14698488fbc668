/** The list of checks as CSV. Pure. */
import type { CheckRow } from "../../status/check-rows.ts";
import { checkStates, severityWords } from "../../status/words.ts";

/** Beginnings of a cell that spreadsheets would run as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Returns the checks as CSV (RFC 4180), with a line of headings. @param nameOf returns the name of a location */
export function csvOf(rows: readonly CheckRow[], nameOf: (id: string) => string): string {
  const lines = rows.map((row) => [
    row.id,
    row.name,
    row.type,
    checkStates[row.state].word,
    row.locations.map(nameOf).join("; "),
    row.failing.map(nameOf).join("; "),
    row.labels.join("; "),
    row.project ?? "",
    String(row.frequencySeconds),
    row.responseTimeMs === null ? "" : String(row.responseTimeMs),
    row.availabilityBp === null ? "" : String(row.availabilityBp / 10_000),
    row.openSeverity === null ? "" : severityWords[row.openSeverity],
  ]);
  return [HEADINGS, ...lines].map((cells) => `${cells.map(cellOf).join(",")}\r\n`).join("");
}

const HEADINGS = [
  "id",
  "name",
  "type",
  "status",
  "locations",
  "failing_locations",
  "labels",
  "project",
  "frequency_s",
  "response_time_ms",
  "availability_24h",
  "alerts",
];

/** An apostrophe keeps spreadsheets from running a name as a formula. */
function cellOf(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
