/** Removes contents that no run has any more. Retention and the deletion of checks remove only the rows of runs. */
import type { Knex } from "knex";
import type { BlobStore } from "./blob-store.ts";
import { deleteBlobs, markGarbage, readGarbage } from "./store.ts";

const CONTENTS_AT_ONCE = 200;

/** Removes all unused contents. Harmless to repeat: a content's row is deleted after the content. */
export async function sweepArtifacts(knex: Knex, blobs: BlobStore, signal?: AbortSignal): Promise<void> {
  for (let isMore = true; isMore && !signal?.aborted; ) {
    isMore = (await markGarbage(knex, CONTENTS_AT_ONCE)) === CONTENTS_AT_ONCE;
    const keys = await readGarbage(knex, CONTENTS_AT_ONCE);
    if (keys.length === 0) continue;
    await blobs.remove(keys);
    await deleteBlobs(knex, keys);
    isMore ||= keys.length === CONTENTS_AT_ONCE;
  }
}
