/**
 * Answers lists of records bit by bit: rows are read in batches, each record is written as JSON by itself, and reading goes
 * on when the client has taken what was written. So an answer takes the memory of a batch and never holds the event loop for
 * long, whatever its size. No database connection is held while a client reads.
 */
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { invalidField, type TeamId } from "@svc/contract";
import type { FastifyReply } from "fastify";

import { TeamSeats } from "./team-seats.ts";

/** Bytes of records after which a page ends, unless the list has another limit. */
export const PAGE_BYTES_MAX = 8 * 1024 ** 2;
/** Lists of one team that are written at once: clients that read many lists slowly take a bounded amount of memory. */
const LISTS_PER_TEAM = 16;
/** Text that is handed to the socket at once. */
const CHUNK_LENGTH = 64 * 1024;
/** A client that takes nothing of an answer for this long is cut off. */
const STALL_MS = 30_000;

/** Values that name the last record of a page: the columns by which the list is ordered. */
export type Cursor = readonly (string | number)[];

/** A list in the order in which it is answered. */
export interface ListSource<Row> {
  /**
   * Reads the rows behind `after`, at most `rowsMax`; fewer where they are large, none only at the end of the list. A
   * long list is read from the beginning of the page twice: then `after` is the page's once more.
   */
  read(after: Cursor | undefined, rowsMax: number): Promise<readonly Row[]>;
  /** True when a read that gives fewer rows than asked for is the last one. */
  isFull?: boolean;
  /** Returns a record as JSON. */
  textOf(row: Row): string;
  cursorOf(row: Row): Cursor;
}

/** The page that a request asks for. */
export interface PageInput {
  /** Records at most; absent: no limit but the bytes. */
  limit?: number | undefined;
  /** Where the page begins; absent: at the beginning. */
  after?: Cursor | undefined;
}

/** The records to answer, and the JSON around them. */
export interface ListAnswer<Row> {
  /** Whose list it is: a team's large answers are written a few at a time. */
  teamId: TeamId;
  /** Property of the answer that holds the records. */
  name: string;
  /** Brackets around the records: a list, or an object whose entries `textOf` writes. Default `[]`. */
  brackets?: "[]" | "{}";
  source: ListSource<Row>;
  page: PageInput;
  /** Bytes of records after which the page ends. Default {@link PAGE_BYTES_MAX}. */
  bytesMax?: number;
  /** Further properties of the answer. */
  extra?: Readonly<Record<string, unknown>>;
}

/** Seats of lists that are being written. Enough for every team's share, whatever the others have. */
const lists = new TeamSeats({
  seats: Number.POSITIVE_INFINITY,
  seatsPerTeam: LISTS_PER_TEAM,
  waitingMax: 200,
  refusal: "The team reads too many lists at once; try again",
});

/** Rows asked of a source at once. */
const ROWS_AT_ONCE = 200;

/**
 * Answers a page of a list; when more follows, `nextCursor` names where. Errors of the first read are answered as
 * usual; a later one ends the connection, so that the answer is no valid JSON.
 */
export async function answerList<Row>(reply: FastifyReply, answer: ListAnswer<Row>): Promise<FastifyReply> {
  void reply.type("application/json; charset=utf-8");
  const short = writeList(answer);
  const { value: whole = "" } = await short.next();
  if ((await short.next()).done) return reply.send(whole);
  return answerLongList(reply, answer);
}

/**
 * Answers a list that is long, a few of a team at a time. What was read of it before is read again: a list that waits
 * for its turn keeps no rows, and no seat of its request, which lists that are being written need to read on.
 */
function answerLongList<Row>(reply: FastifyReply, answer: ListAnswer<Row>): Promise<FastifyReply> {
  return answerInTurn(reply, answer.teamId, (seats) =>
    writeList({ ...answer, source: seatedSource(answer.source, { teamId: answer.teamId, seats }) }),
  );
}

/**
 * Answers a text that is written bit by bit, a few of a team at a time, and gives the seat of the request back meanwhile.
 * @param write yields the text; gets the seats that its reads have to acquire, undefined where requests have none
 */
export async function answerInTurn(
  reply: FastifyReply,
  teamId: TeamId,
  write: (seats: TeamSeats | undefined) => AsyncGenerator<string, undefined>,
): Promise<FastifyReply> {
  reply.request.seat?.release();
  const seat = await lists.acquire(teamId);
  try {
    const chunks = write(reply.server.requestSeats?.reads);
    const first = await chunks.next();
    const begin = first.done ? [] : [first.value];
    const stream = Readable.from(
      cutWhenStalled(begin, chunks, () => stream),
      { objectMode: false },
    );
    stream.once("close", () => seat.release());
    return reply.send(stream);
  } catch (error) {
    seat.release();
    throw error;
  }
}

/** Returns a source that takes a seat for each read; `seats` is undefined where requests have none. */
export function seatedSource<Row>(
  source: ListSource<Row>,
  { teamId, seats }: { teamId: TeamId; seats: TeamSeats | undefined },
): ListSource<Row> {
  return {
    read: async (after, rowsMax) => {
      const seat = await seats?.acquire(teamId, { isUnderWay: true });
      try {
        return await source.read(after, rowsMax);
      } finally {
        seat?.release();
      }
    },
    textOf: (row) => source.textOf(row),
    cursorOf: (row) => source.cursorOf(row),
    ...(source.isFull && { isFull: true }),
  };
}

async function* writeList<Row>({
  name,
  brackets = "[]",
  source,
  page,
  bytesMax = PAGE_BYTES_MAX,
  extra = {},
}: ListAnswer<Row>): AsyncGenerator<string, undefined> {
  const { limit = Number.POSITIVE_INFINITY } = page;
  let { after } = page;
  let count = 0;
  let bytes = 0;
  let hasMore = false;
  let text = `{${JSON.stringify(name)}:${brackets[0]}`;
  reading: for (;;) {
    // One row beyond the limit tells whether there are more.
    const rowsMax = Math.min(ROWS_AT_ONCE, limit - count + 1);
    const rows = await source.read(after, rowsMax);
    for (const row of rows) {
      const record = source.textOf(row);
      bytes += Buffer.byteLength(record);
      hasMore = count >= limit || (count > 0 && bytes > bytesMax);
      if (hasMore) break reading;
      text += count === 0 ? record : `,${record}`;
      after = source.cursorOf(row);
      count++;
      if (text.length < CHUNK_LENGTH) continue;
      yield text;
      text = "";
      await nextTurn();
    }
    if (rows.length === 0 || (source.isFull && rows.length < rowsMax)) break;
  }
  const tail = { ...extra, nextCursor: hasMore && after ? cursorText(after) : undefined };
  yield text +
    brackets[1] +
    JSON.stringify(tail).replace(/^\{(.)/, (_match, next) => (next === "}" ? next : `,${next}`));
}

/** Yields the chunks; destroys the stream when the next one isn't asked for in time. */
async function* cutWhenStalled(
  begin: readonly string[],
  rest: AsyncGenerator<string, undefined>,
  stream: () => Readable,
): AsyncGenerator<string> {
  const timer = setTimeout(() => {
    stream().destroy(new Error(`the client took nothing of the answer for ${STALL_MS} ms`));
  }, STALL_MS).unref();
  try {
    for (const chunk of begin) {
      yield chunk;
      timer.refresh();
    }
    for await (const chunk of rest) {
      timer.refresh();
      yield chunk;
      timer.refresh();
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the text of a cursor, for an answer that writes its own list. */
export function cursorText(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString("base64url");
}

/** Type of each value of a list's cursors. */
export type CursorShape = readonly ("string" | "number" | "instant")[];

/** Shape of the cursors of lists by creation: instant of creation and key. */
export const CREATION_CURSOR = ["instant", "number"] as const;

/**
 * Returns the cursor of a request; undefined when there is none.
 * @param shape types of the cursors' values in this list
 * @throws DomainError `invalid` when the text is no cursor of such a list
 */
export function parseCursor(text: string | undefined, shape: CursorShape): Cursor | undefined {
  if (text === undefined) return undefined;
  const values = parsedJson(Buffer.from(text, "base64url").toString());
  const isOfShape =
    Array.isArray(values) &&
    values.length === shape.length &&
    shape.every((type, i) => isOf(type, values[i]));
  if (!isOfShape) throw invalidField("cursor", "expected the nextCursor of an answer to this list");
  return values as Cursor;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isOf(type: CursorShape[number], value: unknown): boolean {
  if (type === "number") return Number.isSafeInteger(value);
  // A NUL character would be an error of the database.
  if (typeof value !== "string" || value.includes("\u0000")) return false;
  return type === "string" || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
}
