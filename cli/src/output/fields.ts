/** One thing in detail, for a person. */
import type { Output } from "./output.ts";

/** A line per field, aligned. */
export function printFields(out: Output, fields: readonly (readonly [string, string])[]): void {
  const width = Math.max(...fields.map(([label]) => label.length));
  for (const [label, value] of fields)
    out.line(`${out.colors.dim(`${label}:`.padEnd(width + 2))}${out.text(value)}`);
}

/** An empty line and the heading of what follows. */
export function printSection(out: Output, title: string): void {
  out.line();
  out.line(out.colors.bold(title));
}
