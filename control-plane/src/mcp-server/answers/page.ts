/** Pages of lists for tools: the records of a REST list, as views, until the page has enough of them or enough bytes. */
import { invalidField } from "@svc/contract";
import { type Cursor, type CursorShape, cursorText, parseCursor } from "../../platform/http/list-answer.ts";
import type { RecordList } from "../../platform/http/record-list.ts";
import { shorten } from "./shorten.ts";

/** Bytes after which a page ends, below those of an answer. */
const PAGE_BYTES_MAX = 16 * 1024;
/** Sizes to which one record of a page is cut. */
const RECORD_CUT = { characters: 800, items: 25 };

/** The records of a page as a tool answers them. */
export interface Page<View> {
  records: View[];
  /** Where the next page begins; absent on the last one. */
  next?: string;
}

/** The list, the part of it that a call asks for, and how a record is shown. */
export interface PageInput<Row, Shown> {
  list: Pick<RecordList<Row>, "read" | "textOf" | "cursorOf" | "cursorShape" | "isSized">;
  limit: number;
  next: string | undefined;
  /** Returns the view of a record of the REST list. */
  view(record: Shown): Record<string, unknown>;
}

/**
 * Reads a page.
 * @throws DomainError `invalid` when `next` is not of this list
 */
export async function readPage<Row, Shown>({
  list,
  limit,
  next,
  view,
}: PageInput<Row, Shown>): Promise<Page<Record<string, unknown>>> {
  let after = parseNext(next, list.cursorShape);
  const records: Record<string, unknown>[] = [];
  let bytes = 0;
  for (;;) {
    // One row beyond the limit tells whether there are more.
    const rowsMax = limit - records.length + 1;
    const rows = await list.read({ after, rowsMax, offset: 0 });
    for (const row of rows) {
      const record = shorten(view(JSON.parse(list.textOf(row))), RECORD_CUT) as Record<string, unknown>;
      bytes += Buffer.byteLength(JSON.stringify(record));
      if (records.length >= limit || (records.length > 0 && bytes > PAGE_BYTES_MAX))
        return { records, ...(after && { next: cursorText(after) }) };
      records.push(record);
      after = list.cursorOf(row);
    }
    if (rows.length === 0 || (!list.isSized && rows.length < rowsMax)) return { records };
  }
}

/**
 * Returns a page of records that are in memory.
 * @throws DomainError `invalid` when `next` is not of such a list
 */
export async function pageOf<Shown>(
  all: readonly Shown[],
  { limit, next, view }: Omit<PageInput<never, Shown>, "list">,
): Promise<Page<Record<string, unknown>>> {
  const list = {
    cursorShape: ["number"] as const,
    read: async ({ after, rowsMax }: { after: Cursor | undefined; rowsMax: number }) => {
      const begin = after === undefined ? 0 : (after[0] as number) + 1;
      return all.slice(begin, begin + rowsMax).map((record, i) => ({ record, position: begin + i }));
    },
    textOf: (row: { record: Shown; position: number }) => JSON.stringify(row),
    cursorOf: ({ position }: { position: number }) => [position],
  };
  return readPage({ list, limit, next, view: ({ record }: { record: Shown }) => view(record) });
}

/**
 * Returns the cursor of a call.
 * @throws DomainError `invalid` that names the argument `next`
 */
function parseNext(next: string | undefined, shape: CursorShape): Cursor | undefined {
  try {
    return parseCursor(next, shape);
  } catch {
    throw invalidField("next", "expected `next` of an answer of this tool; leave it out for the first page");
  }
}
