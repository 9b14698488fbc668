/** A table of records. */
import type { ReactNode } from "react";

/** A column. */
export interface Column<Row> {
  title: string;
  cell(row: Row): ReactNode;
}

/** Shows rows as a table with a name. @param props.keyOf names a row among the others */
export function Table<Row>({
  name,
  rows,
  columns,
  keyOf,
}: {
  name: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf(row: Row): string;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="scroll" aria-label={`${name}, scrolls sideways`} tabIndex={0}>
      <table aria-label={name}>
        <thead>
          <tr>
            {columns.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell }) => (
                <td key={title}>{cell(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
