/** One thing in detail, for a person. */
import type { Output } from "./output.ts";

export type Fields = readonly (readonly [string, string])[];

/** A line per field, aligned. */
export function fieldLines(out: Output, fields: Fields): string[] {
  const width = Math.max(...fields.map(([label]) => label.length));
  return fields.map(([label, value]) => `${out.colors.dim(`${label}:`.padEnd(width + 2))}${out.text(value)}`);
}

export function printFields(out: Output, fields: Fields): void {
  for (const line of fieldLines(out, fields)) out.line(line);
}

/** An empty line and the heading of what follows. */
export function printSection(out: Output, title: string): void {
  out.line();
  out.line(out.colors.bold(title));
}
