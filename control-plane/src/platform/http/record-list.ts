/**
 * The two kinds of lists of records. A paged list is answered by `limit`, and by `cursor` or `offset`; a whole list is
 * answered in one piece unless a request asks for a page. Both are read in batches and end after the bytes of a page.
 */
import { invalidField, type TeamId } from "@svc/contract";
import type { FastifyReply } from "fastify";
import {
  answerList,
  type Cursor,
  type CursorShape,
  type ListSource,
  PAGE_BYTES_MAX,
  parseCursor,
} from "./list-answer.ts";

/** Largest number of records that are skipped one by one; who wants to go farther back follows cursors. */
export const OFFSET_MAX = 20_000;

/** A part of a list, as a store reads it. */
export interface ListPart {
  /** Values of the record before the part; absent: begin with the list. */
  after: Cursor | undefined;
  rowsMax: number;
  /** Records to skip. */
  offset: number;
}

/** A list of a team's records. */
export interface RecordList<Row> {
  /** Property of the answer that holds the records. */
  name: string;
  /** Types of the values of the list's cursors. */
  cursorShape: CursorShape;
  /** Reads a part of the list: fewer than `rowsMax` rows only at the end, unless `isSized`. */
  read(part: ListPart): Promise<readonly Row[]>;
  /** True when large rows are read a few at a time: then no row at all means the end. */
  isSized?: boolean;
  /** Returns a record as JSON. */
  textOf(row: Row): string;
  cursorOf(row: Row): Cursor;
}

/** A request for a page of a list. */
export interface PagedRequest {
  teamId: TeamId;
  query: { limit: number; offset: number; cursor?: string | undefined };
}

/**
 * Answers a page of a list; the answer echoes `limit` and `offset`.
 * @throws DomainError `invalid` for a bad cursor, or an offset beyond {@link OFFSET_MAX} that lies within the list
 */
export function answerPage<Row>(
  reply: FastifyReply,
  { teamId, query }: PagedRequest,
  list: RecordList<Row>,
): Promise<FastifyReply> {
  const { limit, offset } = query;
  const begin = parseCursor(query.cursor, list.cursorShape);
  return answerList(reply, {
    teamId,
    name: list.name,
    // The offset counts from the page's begin; the batches after the first follow the cursor.
    source: sourceOf(list, (after) => (after === begin ? offset : 0)),
    page: { limit, after: begin },
    extra: { limit, offset },
  });
}

/** A request for a list that is answered whole unless it names a limit or a cursor. */
export interface WholeRequest {
  teamId: TeamId;
  query: { limit?: number | undefined; cursor?: string | undefined };
}

/**
 * Answers the whole list, whose size a cap of the team bounds, or the page that the request asks for.
 * @throws DomainError `invalid` for a bad cursor
 */
export function answerWhole<Row>(
  reply: FastifyReply,
  { teamId, query }: WholeRequest,
  list: RecordList<Row>,
): Promise<FastifyReply> {
  const { limit, cursor } = query;
  return answerList(reply, {
    teamId,
    name: list.name,
    source: sourceOf(list, () => 0),
    page: { limit, after: parseCursor(cursor, list.cursorShape) },
    bytesMax: limit === undefined && cursor === undefined ? Number.POSITIVE_INFINITY : PAGE_BYTES_MAX,
  });
}

function sourceOf<Row>(
  list: RecordList<Row>,
  offsetAt: (after: Cursor | undefined) => number,
): ListSource<Row> {
  return {
    read: async (after, rowsMax) => {
      const offset = offsetAt(after);
      if (offset <= OFFSET_MAX) return list.read({ after, rowsMax, offset });
      const beyond = await list.read({ after, rowsMax: 1, offset: OFFSET_MAX });
      if (beyond.length === 0) return [];
      throw offsetTooLarge();
    },
    isFull: !list.isSized,
    textOf: (row) => list.textOf(row),
    cursorOf: (row) => list.cursorOf(row),
  };
}

/** Returns the error of an offset that would skip too many records one by one. */
export function offsetTooLarge(): Error {
  return invalidField(
    "offset",
    `largest is ${OFFSET_MAX}; follow the cursors (nextCursor) to go farther back`,
  );
}
