/** The contents of artifacts lie in a folder, or in the database, which several replicas share anyway. */
import { join } from "node:path";
import type { Services } from "../../platform/services.ts";
import type { BlobStore } from "./blob-store.ts";
import { databaseBlobs } from "./database-blobs.ts";
import { folderBlobs } from "./folder-blobs.ts";

/** The store that the settings choose. */
export function blobStoreOf({ config, knex }: Pick<Services, "config" | "knex">): BlobStore {
  const kind = config.artifacts ?? (config.databaseUrl ? "database" : "folder");
  return kind === "database" ? databaseBlobs(knex) : folderBlobs(join(config.dataDir, "artifacts"));
}
