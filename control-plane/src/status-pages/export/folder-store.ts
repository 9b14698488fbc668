/** Exported pages in a folder, from which any web server can serve them. A reader never sees half of a file. */
import { lstat, mkdir, readdir, readFile, rename, rmdir, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PAGE_FILE_NAMES, type PageFile } from "./page-files.ts";
import { CLAIMS_FILE, claimsJson, type PageStore, parseClaims } from "./page-store.ts";

/** Returns a folder as a store of pages. The folder is made when the claims are read. */
export function folderStore(folder: string): PageStore {
  const addressOf = (slug: string) => join(folder, slug);
  return {
    addressOf,
    readClaims: async () => {
      await mkdir(folder, { recursive: true });
      return parseClaims((await readIfThere(join(folder, CLAIMS_FILE))) ?? "[]");
    },
    writeClaims: (slugs) => writeWhole(join(folder, CLAIMS_FILE), claimsJson(slugs)),
    claim: (slug) => claimFolder(addressOf(slug)),
    write: (slug, files) => writePage(addressOf(slug), files),
    remove: (slug) => removePage(addressOf(slug)),
  };
}

/** Makes the folder of a page, or claims one in which nothing stands. Returns false when something else has its name. */
async function claimFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  return (await lstat(folder)).isDirectory() && (await readdir(folder)).length === 0;
}

async function writePage(folder: string, files: readonly PageFile[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { name, text } of files) await writeWhole(join(folder, name), text);
}

/** Removes the files of a page, and its folder unless something else stands in it. Does nothing the second time. */
async function removePage(folder: string): Promise<void> {
  const names = PAGE_FILE_NAMES.flatMap((file) => [file, writtenAs(file)]);
  const removals = await Promise.allSettled(names.map((name) => unless(GONE, unlink(join(folder, name)))));
  // A file that stays keeps none of the others readable.
  const failed = removals.find((removal) => removal.status === "rejected");
  if (failed) throw failed.reason;
  await unless([...GONE, "ENOTEMPTY", "EEXIST"], rmdir(folder));
}

/** Writes a file such that a reader sees all of the text or none. */
async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(writtenAs(path), text);
  await rename(writtenAs(path), path);
}

function writtenAs(path: string): string {
  return `${path}.new`;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    return undefined;
  }
}

const GONE = ["ENOENT", "ENOTDIR"];

async function unless(codes: readonly string[], work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!codes.includes(codeOf(error) ?? "")) throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
