/** Results as CSV (RFC 4180). Pure. */
import type { Result } from "@svc/contract";

/** The columns: name, and a result's value. */
const COLUMNS: readonly (readonly [name: string, value: (result: Result) => string | number | null])[] = [
  ["id", ({ id }) => id],
  ["runId", ({ runId }) => runId],
  ["slotAt", ({ slotAt }) => slotAt],
  ["startedAt", ({ startedAt }) => startedAt],
  ["locationId", ({ locationId }) => locationId],
  ["status", ({ status }) => status],
  ["responseTimeMs", ({ responseTimeMs }) => responseTimeMs],
  ["httpStatusCode", ({ httpStatusCode }) => httpStatusCode],
  ["dnsLookupMs", ({ timing }) => timing.dnsLookupMs ?? null],
  ["tcpConnectMs", ({ timing }) => timing.tcpConnectMs ?? null],
  ["tlsHandshakeMs", ({ timing }) => timing.tlsHandshakeMs ?? null],
  ["ttfbMs", ({ timing }) => timing.ttfbMs ?? null],
  ["contentTransferMs", ({ timing }) => timing.contentTransferMs ?? null],
  ["reason", ({ reason }) => reason],
  ["lateMs", ({ lateMs }) => lateMs],
  ["errorCategory", ({ errorCategory }) => errorCategory],
  ["errorMessage", ({ errorMessage }) => errorMessage],
];

/** First line of the file: the names of the columns. */
export const CSV_HEAD = `${COLUMNS.map(([name]) => name).join(",")}\r\n`;

/** Returns a result as a line of the file. */
export function csvLineOf(result: Result): string {
  return `${COLUMNS.map(([, value]) => csvCell(value(result))).join(",")}\r\n`;
}

/** Returns a value as a cell. A text that a spreadsheet would take for a formula begins with an apostrophe. */
export function csvCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
