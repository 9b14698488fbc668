/**
 * Answers lists of records bit by bit: rows are read in batches, each record is written as JSON by itself, and reading goes
 * on when the client has taken what was written. So an answer takes the memory of a batch and never holds the event loop for
 * long, whatever its size. No database connection is held while a client reads.
 */
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { invalidField, type TeamId } from "@svc/contract";
import type { FastifyReply } from "fastify";
import { takeSeat } from "./reading-seats.ts";

/** Bytes of records after which a page ends, unless the list has another limit. */
export const PAGE_BYTES_MAX = 8 * 1024 ** 2;
/** Text that is handed to the socket at once. */
const CHUNK_LENGTH = 64 * 1024;
/** A client that takes nothing of an answer for this long is cut off. */
const STALL_MS = 30_000;

/** Values that name the last record of a page: the columns by which the list is ordered. */
export type Cursor = readonly (string | number)[];

/** A list in the order in which it is answered. */
export interface ListSource<Row> {
  /** Reads the rows behind `after`, at most `rowsMax`; fewer where they are large, none only at the end of the list. */
  read(after: Cursor | undefined, rowsMax: number): Promise<readonly Row[]>;
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

/** Rows asked of a source at once. */
const ROWS_AT_ONCE = 200;

/**
 * Answers a page of a list; when more follows, `nextCursor` names where. Errors of the first read are answered as usual; a later
 * one ends the connection, so that the answer is no valid JSON.
 */
export async function answerList<Row>(reply: FastifyReply, answer: ListAnswer<Row>): Promise<FastifyReply> {
  const seat = await takeSeat(answer.teamId);
  const chunks = writeList(answer);
  try {
    const { value: first = "" } = await chunks.next();
    const second = await chunks.next();
    void reply.type("application/json; charset=utf-8");
    if (second.done) {
      seat.release();
      return reply.send(first);
    }
    const stream = Readable.from(
      cutWhenStalled([first, second.value], chunks, () => stream),
      {
        objectMode: false,
      },
    );
    stream.once("close", () => seat.release());
    return reply.send(stream);
  } catch (error) {
    seat.release();
    throw error;
  }
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
    const rows = await source.read(after, Math.min(ROWS_AT_ONCE, limit - count + 1));
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
    if (rows.length === 0) break;
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

function cursorText(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString("base64url");
}

/** Type of each value of a list's cursors. */
type CursorShape = readonly ("string" | "number" | "instant")[];

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
