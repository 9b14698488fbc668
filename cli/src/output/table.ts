/** Aligned columns that fit the terminal. */
import type { Paint } from "./colors.ts";
import { columnsOf, cutStartTo, cutTo } from "./width.ts";

export interface Column<Row> {
  title: string;
  /** The cell's text, uncoloured; the table cuts it where there is no room. */
  value(row: Row): string;
  /** Colours the padded cell. */
  paint?(row: Row): Paint;
  align?: "right";
  /** What stays where there is no room; the start unless said otherwise. */
  keeps?: "end";
}

const GAP = "  ";
/** Narrower than this nothing can be read any more. */
const COLUMN_MIN = 6;

/** Lines of a table: a heading and one per row. @param width columns of the terminal; Infinity when it is no terminal */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { width, heading }: { width: number; heading: Paint },
): string[] {
  const cells = rows.map((row) => columns.map((column) => column.value(row)));
  const wanted = columns.map((column, i) =>
    Math.max(columnsOf(column.title), ...cells.map((line) => columnsOf(line[i] ?? ""))),
  );
  const widths = fitWidths(wanted, width - GAP.length * (columns.length - 1));
  const lineOf = (texts: readonly string[], paint: (i: number) => Paint | undefined) =>
    columns
      .map((column, i) => {
        const cut = column.keeps === "end" ? cutStartTo : cutTo;
        const padded = padTo(cut(texts[i] ?? "", widths[i] ?? 0), widths[i] ?? 0, column.align);
        return (paint(i) ?? ((text: string) => text))(padded);
      })
      .join(GAP)
      .trimEnd();
  return [
    lineOf(
      columns.map(({ title }) => title),
      () => heading,
    ),
    ...rows.map((row, r) => lineOf(cells[r] ?? [], (i) => columns[i]?.paint?.(row))),
  ];
}

/** Takes from the widest until all fit. */
function fitWidths(wanted: readonly number[], available: number): number[] {
  const widths = [...wanted];
  for (let excess = sum(widths) - available; excess > 0; ) {
    const widest = Math.max(...widths);
    if (widest <= COLUMN_MIN) break;
    const next = Math.max(COLUMN_MIN, ...widths.filter((width) => width < widest));
    const count = widths.filter((width) => width === widest).length;
    const cut = Math.max(1, Math.min(widest - next, Math.ceil(excess / count)));
    for (const [i, width] of widths.entries()) if (width === widest) widths[i] = width - cut;
    excess = sum(widths) - available;
  }
  return widths;
}

function padTo(text: string, columns: number, align: "right" | undefined): string {
  const missing = " ".repeat(Math.max(0, columns - columnsOf(text)));
  return align === "right" ? missing + text : text + missing;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
