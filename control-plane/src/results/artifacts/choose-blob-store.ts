/** Chooses where the contents of artifacts are stored: in a folder, or in the database, which replicas share. */
import { join } from "node:path";
import type { Services } from "../../platform/services.ts";
import type { BlobStore } from "./blob-store.ts";
import { databaseBlobs } from "./database-blobs.ts";
import { folderBlobs } from "./folder-blobs.ts";

/** Returns the store that the settings choose; by default the database, unless it is the embedded one. */
export function blobStoreOf({ config, knex }: Pick<Services, "config" | "knex">): BlobStore {
  const kind = config.artifacts ?? (config.databaseUrl ? "database" : "folder");
  return kind === "database" ? databaseBlobs(knex) : folderBlobs(join(config.dataDir, "artifacts"));
}
