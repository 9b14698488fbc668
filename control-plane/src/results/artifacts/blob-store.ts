/** The store of the contents of artifacts. */
import type { Readable } from "node:stream";

/** Stores contents by their keys, without knowing whose they are. */
export interface BlobStore {
  /** Writes a content, which is durable once this resolves. A key is written once. */
  write(key: string, content: Buffer): Promise<void>;
  /** Reads the bytes from `start` to `end`, both included; undefined when there is no content with the key. */
  read(key: string, range: { start: number; end: number }): Promise<Readable | undefined>;
  /** Removes contents; keys without a content are ignored. */
  remove(keys: readonly string[]): Promise<void>;
}
