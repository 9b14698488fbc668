/** Stores contents as rows of the database, which are read in parts. */
import { Readable } from "node:stream";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { BlobStore } from "./blob-store.ts";

const PART_BYTES = 1024 * 1024;

/** Returns a blob store that keeps contents in the table `artifact_contents`. */
export function databaseBlobs(knex: Knex): BlobStore {
  return {
    async write(key, content) {
      await knex.raw("INSERT INTO artifact_contents (blob_key, content) VALUES (?, ?)", [key, content]);
    },
    async read(key, { start, end }) {
      const first = await readPart(knex, key, { start, end });
      return first && Readable.from(partsFrom(knex, key, { first, start, end }), { objectMode: false });
    },
    async remove(keys) {
      await knex.raw("DELETE FROM artifact_contents WHERE blob_key = ANY(CAST(? AS uuid[]))", [[...keys]]);
    },
  };
}

async function* partsFrom(
  knex: Knex,
  key: string,
  { first, start, end }: { first: Buffer; start: number; end: number },
): AsyncGenerator<Buffer> {
  yield first;
  for (let at = start + first.length; at <= end; ) {
    const part = await readPart(knex, key, { start: at, end });
    if (!part?.length) throw new Error(`the content of artifact ${key} ended early`);
    yield part;
    at += part.length;
  }
}

/** Reads at most PART_BYTES of a content. SQL counts bytes from 1. */
async function readPart(
  knex: Knex,
  key: string,
  { start, end }: { start: number; end: number },
): Promise<Buffer | undefined> {
  const [row] = await queryRows<{ part: Buffer }>(
    knex,
    `SELECT substring(content FROM CAST(:from AS integer) FOR CAST(:count AS integer)) AS part
     FROM artifact_contents WHERE blob_key = :key`,
    { key, from: start + 1, count: Math.min(PART_BYTES, end - start + 1) },
  );
  return row?.part;
}
