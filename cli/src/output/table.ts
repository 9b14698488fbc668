/** Lays out tables: aligned columns that fit the terminal. */
import type { Paint } from "./colors.ts";
import { columnsOf, cutStartTo, cutTo } from "./width.ts";

/** One column of a table. */
export interface Column<Row> {
  title: string;
  /** Returns the cell's text, uncoloured; the table cuts it where the columns are too many. */
  value(row: Row): string;
  /** Colours the padded cell. */
  paint?(row: Row): Paint;
  align?: "right";
  /** The part that stays when the text is cut. Default: the start. */
  keeps?: "end";
}

const GAP = "  ";
/** Smallest width of a column; narrower text can't be read. */
const COLUMN_MIN = 6;

/**
 * Returns the lines of a table: a heading and one per row.
 * @param layout.width columns of the terminal; Infinity when stdout is no terminal
 */
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

/** Narrows the widest columns until all fit. */
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
