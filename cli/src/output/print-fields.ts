/** Prints one thing in detail, for a person. */
import type { Output } from "./output.ts";

/** Labels and values. */
export type Fields = readonly (readonly [string, string])[];

/** Returns a line per field, with aligned values. */
export function fieldLines(out: Output, fields: Fields): string[] {
  const width = Math.max(...fields.map(([label]) => label.length));
  return fields.map(([label, value]) => `${out.colors.dim(`${label}:`.padEnd(width + 2))}${out.text(value)}`);
}

/** Prints a line per field. */
export function printFields(out: Output, fields: Fields): void {
  for (const line of fieldLines(out, fields)) out.line(line);
}

/** Prints an empty line and a heading. */
export function printSection(out: Output, title: string): void {
  out.line();
  out.line(out.colors.bold(title));
}
