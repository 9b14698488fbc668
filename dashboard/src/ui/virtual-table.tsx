/** A table of any length: only the rows in sight are in the document, and the page itself scrolls. */
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { memo, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { usePreferences } from "../preferences/preferences.ts";

/** Heights of a row, px. Every row has it, whatever it holds. */
const ROW_PX = 36;
const DENSE_ROW_PX = 28;
/** Rows beyond those in sight, on each side. */
const OVERSCAN_ROWS = 8;

/** A column, sorted or not. */
export interface SortableColumn<Row> {
  title: string;
  /** Shown in the heading in place of the title. */
  heading?: ReactNode;
  cell(row: Row): ReactNode;
  /** Present where a click on the heading sorts. */
  sort?: { direction: "ascending" | "descending" | "none"; toggle(): void };
}

/**
 * Shows rows as a table with a name.
 * @param props.headingOf returns the heading of a group of rows for a row that is one; absent: there are no groups
 * @param props.onRange gets the rows in the document whenever others come into sight
 * @param props.reveal gets a function that scrolls a row into sight, by its index
 */
export function VirtualTable<Row>({
  name,
  rows,
  columns,
  keyOf,
  headingOf,
  onRange,
  reveal,
}: {
  name: string;
  rows: readonly Row[];
  columns: readonly SortableColumn<Row>[];
  keyOf(row: Row): string;
  headingOf?(row: Row): ReactNode | undefined;
  onRange(rows: readonly Row[]): void;
  reveal?: RefObject<((index: number) => void) | undefined>;
}) {
  const rowPx = usePreferences().isDense ? DENSE_ROW_PX : ROW_PX;
  const body = useRef<HTMLTableSectionElement>(null);
  const [topPx, setTopPx] = useState(0);
  useLayoutEffect(() => {
    setTopPx((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
  }, []);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPx,
    overscan: OVERSCAN_ROWS,
    scrollMargin: topPx,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height lie elsewhere
  useEffect(() => virtualizer.measure(), [virtualizer, rowPx]);
  useEffect(() => {
    if (reveal) reveal.current = (index) => virtualizer.scrollToIndex(index, { align: "auto" });
  }, [reveal, virtualizer]);
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? -1];
  const before = first * rowPx;
  const after = Math.max(0, rows.length - 1 - last) * rowPx;
  useEffect(() => onRange(rows.slice(first, last + 1)), [rows, first, last, onRange]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="scroll" aria-label={`${name}, scrolls sideways`} tabIndex={0}>
      <table aria-label={name} aria-rowcount={rows.length + 1} className="virtual">
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ title, heading, sort }) => (
              <th key={title} scope="col" aria-sort={sort?.direction}>
                {sort ? (
                  <button type="button" className="sort" onClick={sort.toggle}>
                    {title}
                    <span aria-hidden="true">{ARROWS[sort.direction]}</span>
                  </button>
                ) : (
                  (heading ?? title)
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {before > 0 && <Gap heightPx={before} columns={columns.length} />}
          {items.map(({ index }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const heading = headingOf?.(row);
            return heading === undefined ? (
              <RowOfCells key={keyOf(row)} row={row} index={index} columns={columns} />
            ) : (
              <tr key={keyOf(row)} aria-rowindex={index + 2} data-row={index}>
                <th colSpan={columns.length} scope="colgroup">
                  {heading}
                </th>
              </tr>
            );
          })}
          {after > 0 && <Gap heightPx={after} columns={columns.length} />}
        </tbody>
      </table>
    </section>
  );
}

interface RowProps<Row> {
  row: Row;
  index: number;
  columns: readonly SortableColumn<Row>[];
}

/** A row that is drawn again only when it, its position or one of its cells' functions is another one. */
const RowOfCells = memo(
  ({ row, index, columns }: RowProps<unknown>) => (
    <tr aria-rowindex={index + 2} data-row={index}>
      {columns.map(({ title, cell }) => (
        <td key={title}>{cell(row)}</td>
      ))}
    </tr>
  ),
  (before, after) =>
    before.row === after.row &&
    before.index === after.index &&
    before.columns.length === after.columns.length &&
    before.columns.every(({ cell }, i) => cell === after.columns[i]?.cell),
) as unknown as <Row>(props: RowProps<Row>) => ReactNode;

const ARROWS = { ascending: " ↑", descending: " ↓", none: "" } as const;

/** Holds open the height of the rows that are not in the document. */
function Gap({ heightPx, columns }: { heightPx: number; columns: number }) {
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: the row is a space, and none of the table's rows
    <tr role="presentation" className="gap">
      <td colSpan={columns} style={{ height: heightPx }} />
    </tr>
  );
}
