/** Where the contents of artifacts lie. */
import type { Readable } from "node:stream";

export interface BlobStore {
  /** Durable once it resolves. A key is written once. */
  write(key: string, content: Buffer): Promise<void>;
  /** The bytes from `start` to `end`, both included; undefined when there is no such content. */
  read(key: string, range: { start: number; end: number }): Promise<Readable | undefined>;
  /** Those that are not there are passed over. */
  remove(keys: readonly string[]): Promise<void>;
}
