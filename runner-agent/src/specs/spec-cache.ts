/**
 * Documents of API specs on disk, compressed, named by their hash, so that an agent that restarts while the control
 * plane is away can judge by them. The cache is bounded; the least recently used documents go first. Failures go to the
 * caller, who can do without a copy.
 */
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Largest sum of the files' sizes. */
const CACHE_BYTES_MAX = 256 * 1024 * 1024;
const SUFFIX = ".json.gz";
const SHA256 = /^[0-9a-f]{64}$/;

/** The bounded folder of compressed API spec documents. */
export class SpecCache {
  readonly #folder: string;
  readonly #wallMs: () => number;
  readonly #bytesMax: number;
  #writes = 0;

  constructor(folder: string, wallMs: () => number, bytesMax = CACHE_BYTES_MAX) {
    this.#wallMs = wallMs;
    this.#folder = folder;
    this.#bytesMax = bytesMax;
  }

  /** Returns the compressed document, or undefined when there is none. */
  async read(sha256: string): Promise<Buffer | undefined> {
    const path = this.#pathOf(sha256);
    try {
      const content = await readFile(path);
      const now = new Date(this.#wallMs());
      await utimes(path, now, now).catch(() => {});
      return content;
    } catch {
      return undefined;
    }
  }

  /** Stores a document, and drops the least recently used ones that no longer fit beside it. */
  async write(sha256: string, content: Uint8Array): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const temporary = join(this.#folder, `new-${process.pid}-${++this.#writes}`);
    await writeFile(temporary, content, { mode: 0o600 });
    await rename(temporary, this.#pathOf(sha256));
    await this.#trim(sha256);
  }

  /** Drops a document, for example one that turned out to be damaged. */
  async drop(sha256: string): Promise<void> {
    await rm(this.#pathOf(sha256), { force: true });
  }

  async #trim(newest: string): Promise<void> {
    const files = await Promise.all(
      (await readdir(this.#folder)).map(async (name) => {
        const found = await stat(join(this.#folder, name)).catch(() => undefined);
        return { name, bytes: found?.size ?? 0, usedMs: found?.mtimeMs ?? 0 };
      }),
    );
    let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    files.sort((a, b) => a.usedMs - b.usedMs);
    for (const { name, bytes } of files) {
      if (total <= this.#bytesMax) return;
      if (name === newest + SUFFIX) continue;
      await rm(join(this.#folder, name), { force: true });
      total -= bytes;
    }
  }

  #pathOf(sha256: string): string {
    // Hashes come over the wire: anything else could name a file outside of the folder.
    if (!SHA256.test(sha256)) throw new Error("not the hash of a document");
    return join(this.#folder, sha256 + SUFFIX);
  }
}
