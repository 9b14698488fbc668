/** Removes contents that no run has any more: retention and the deletion of checks take the runs' rows only. */
import type { Knex } from "knex";
import type { BlobStore } from "./blob-store.ts";
import { deleteBlobs, giveUpUnused, readGarbage } from "./store.ts";

const CONTENTS_AT_ONCE = 200;

/** Harmless to repeat: a content is forgotten after it was removed. */
export async function sweepArtifacts(knex: Knex, blobs: BlobStore, signal?: AbortSignal): Promise<void> {
  for (let isMore = true; isMore && !signal?.aborted; ) {
    isMore = (await giveUpUnused(knex, CONTENTS_AT_ONCE)) === CONTENTS_AT_ONCE;
    const keys = await readGarbage(knex, CONTENTS_AT_ONCE);
    if (keys.length === 0) continue;
    await blobs.remove(keys);
    await deleteBlobs(knex, keys);
    isMore ||= keys.length === CONTENTS_AT_ONCE;
  }
}
