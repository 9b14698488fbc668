/**
 * The folder of pictures and videos that wait for their upload: one file per run and content, named after both. Its size is
 * bounded; a full folder keeps no further file. Files that an earlier process left are uploaded too.
 */
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { findSpaceShortage, RESULTS_RESERVE_BYTES } from "../disk/disk-space.ts";

/** A file of the folder, as its name identifies it. */
export interface KeptArtifact {
  checkKey: number;
  locationKey: number;
  slotMs: number;
  /** 64 lower-case hexadecimal digits. */
  sha256: string;
}

const NAME = /^(\d{1,15})-(\d{1,15})-(\d{1,15})-([0-9a-f]{64})$/;

/** The folder of files that wait for their upload, bounded in size. */
export class ArtifactFolder {
  readonly #path: string;
  readonly #bytesMax: number;
  /** Bytes by name. */
  readonly #files = new Map<string, number>();
  #bytes = 0;

  /** Makes the folder when it is missing, and lists the files in it. Removes files with names of another form. */
  constructor(path: string, bytesMax: number) {
    this.#path = path;
    this.#bytesMax = bytesMax;
    mkdirSync(path, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(path)) {
      if (NAME.test(name)) this.#count(name, statSync(join(path, name)).size);
      else rmSync(join(path, name), { force: true, recursive: true });
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the files, those of the oldest slots first. */
  list(): KeptArtifact[] {
    return [...this.#files.keys()].map(artifactOf).sort((a, b) => a.slotMs - b.slotMs);
  }

  /**
   * Stores a file; it is durable once the promise resolves, which never rejects.
   * @returns false when the folder is full or the disk refuses the file
   */
  async keep(artifact: KeptArtifact, content: Buffer): Promise<boolean> {
    const name = nameOf(artifact);
    if (this.#files.has(name)) return true;
    if (this.#bytes + content.length > this.#bytesMax) return false;
    this.#count(name, content.length);
    try {
      if (findSpaceShortage(this.#path, RESULTS_RESERVE_BYTES) !== undefined) throw new Error("no space");
      await this.#write(name, content);
      return true;
    } catch {
      await this.remove(artifact);
      return false;
    }
  }

  /** Returns a file's content. Rejects when the file can't be read, or is gone. */
  read(artifact: KeptArtifact): Promise<Buffer> {
    return readFile(join(this.#path, nameOf(artifact)));
  }

  /** Removes a file, if it is there. Never rejects. */
  async remove(artifact: KeptArtifact): Promise<void> {
    const name = nameOf(artifact);
    this.#bytes -= this.#files.get(name) ?? 0;
    this.#files.delete(name);
    for (const path of [join(this.#path, name), join(this.#path, `${name}.new`)])
      await rm(path, { force: true }).catch(() => {});
  }

  #count(name: string, bytes: number): void {
    this.#files.set(name, bytes);
    this.#bytes += bytes;
  }

  async #write(name: string, content: Buffer): Promise<void> {
    const path = join(this.#path, name);
    const file = await open(`${path}.new`, "w", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
    const folder = await open(this.#path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}

function nameOf({ checkKey, locationKey, slotMs, sha256 }: KeptArtifact): string {
  return `${checkKey}-${locationKey}-${slotMs}-${sha256}`;
}

function artifactOf(name: string): KeptArtifact {
  const [checkKey, locationKey, slotMs, sha256] = name.split("-");
  return {
    checkKey: Number(checkKey),
    locationKey: Number(locationKey),
    slotMs: Number(slotMs),
    sha256: sha256 as string,
  };
}
