/** Stores contents as files. A file is written under another name and then renamed, so that an existing file is complete. */
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BlobStore } from "./blob-store.ts";

/**
 * Returns the store of a folder.
 * @param folder created when it is missing, readable for the service's own user only
 */
export function folderBlobs(folder: string): BlobStore {
  // Keys are random, so their first two characters spread the files over 256 folders.
  const folderOf = (key: string) => join(folder, key.slice(0, 2));
  return {
    async write(key, content) {
      const parent = folderOf(key);
      await mkdir(parent, { recursive: true, mode: 0o700 });
      const path = join(parent, key);
      await writeDurably(`${path}.new`, content);
      await rename(`${path}.new`, path);
      await syncFolder(parent);
    },
    async read(key, { start, end }) {
      try {
        const file = await open(join(folderOf(key), key), "r");
        return file.createReadStream({ start, end });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
    async remove(keys) {
      for (const key of keys) {
        const path = join(folderOf(key), key);
        await rm(path, { force: true });
        await rm(`${path}.new`, { force: true });
      }
    },
  };
}

async function writeDurably(path: string, content: Buffer): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
