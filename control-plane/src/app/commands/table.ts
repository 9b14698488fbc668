import { cleanLine } from "@svc/contract";

/**
 * Returns a table for the terminal: columns as wide as their widest cell, two spaces between them. Cells hold names
 * that teams chose, so control characters in them become spaces: the operator's terminal must not obey a team.
 */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows.map((row) => row.map(cleanLine))];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
