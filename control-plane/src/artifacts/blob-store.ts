/** Where the contents of artifacts lie: in a folder, or in the database, which several replicas share anyway. */
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Services } from "../services.ts";
import { databaseBlobs } from "./database-blobs.ts";
import { folderBlobs } from "./folder-blobs.ts";

export interface BlobStore {
  /** Durable once it resolves. A key is written once. */
  write(key: string, content: Buffer): Promise<void>;
  /** The bytes from `start` to `end`, both included; undefined when there is no such content. */
  read(key: string, range: { start: number; end: number }): Promise<Readable | undefined>;
  /** Those that are not there are passed over. */
  remove(keys: readonly string[]): Promise<void>;
}

/** The store that the settings choose. */
export function blobStoreOf({ config, knex }: Pick<Services, "config" | "knex">): BlobStore {
  const kind = config.SVC_ARTIFACTS ?? (config.DATABASE_URL ? "database" : "folder");
  return kind === "database" ? databaseBlobs(knex) : folderBlobs(join(config.SVC_DATA_DIR, "artifacts"));
}
