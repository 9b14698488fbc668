/** Answers one JSON object with many lists, each read in batches, so that an answer of any size takes the memory of a batch. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { TeamId } from "@svc/contract";
import type { FastifyReply } from "fastify";
import { answerInTurn, type Cursor, type ListSource, seatedSource } from "./list-answer.ts";

/** Rows asked of a source at once. */
const ROWS_AT_ONCE = 200;
/** Text that is handed to the socket at once. */
const CHUNK_LENGTH = 64 * 1024;

/** One list of a document. */
export interface DocumentSection {
  /** Property of the document that holds the records. */
  name: string;
  source: ListSource<unknown>;
}

/** A document: its first properties, and its lists in the order in which they are written. */
export interface DocumentAnswer {
  teamId: TeamId;
  head: Readonly<Record<string, unknown>>;
  sections: readonly DocumentSection[];
}

/** Answers the document. An error in its midst ends the connection, so that the answer is no valid JSON. */
export function answerDocument(reply: FastifyReply, document: DocumentAnswer): Promise<FastifyReply> {
  const { teamId, sections } = document;
  void reply.type("application/json; charset=utf-8");
  return answerInTurn(reply, teamId, (seats) =>
    writeDocument({
      ...document,
      sections: sections.map(({ name, source }) => ({
        name,
        source: seatedSource(source, { teamId, seats }),
      })),
    }),
  );
}

async function* writeDocument({ head, sections }: DocumentAnswer): AsyncGenerator<string, undefined> {
  let text = JSON.stringify(head).slice(0, -1);
  for (const { name, source } of sections) {
    text += `,${JSON.stringify(name)}:[`;
    let after: Cursor | undefined;
    let isFirst = true;
    for (;;) {
      const rows = await source.read(after, ROWS_AT_ONCE);
      for (const row of rows) {
        text += (isFirst ? "" : ",") + source.textOf(row);
        isFirst = false;
        if (text.length < CHUNK_LENGTH) continue;
        yield text;
        text = "";
        await nextTurn();
      }
      if (rows.length === 0 || (source.isFull && rows.length < ROWS_AT_ONCE)) break;
      after = source.cursorOf(rows.at(-1));
    }
    text += "]";
  }
  yield `${text}}`;
}
