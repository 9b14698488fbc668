/**
 * Copies the embedded PostgreSQL's programs to the data folder, for the account that the server runs under where it can't
 * reach the installation, as in a root's folder that is closed to others.
 */
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";

/**
 * Copies the programs to `<folder>/postgres-programs/<version>`, readable by every account and writable by none but
 * this one. Copies of other versions are removed. Does nothing when the copy is there. The caller holds the folder.
 * @param native the folder with `bin`, `lib` and `share`
 * @returns the copy's folder, laid out like `native`
 */
export function copyPrograms(
  native: string,
  { folder, version }: { folder: string; version: string },
): string {
  const copies = join(folder, "postgres-programs");
  const copy = join(copies, version);
  if (existsSync(copy)) return copy;
  mkdirSync(copies, { recursive: true });
  chmodSync(copies, 0o755);
  // Made under another name: a copy that was stopped half way is not taken for a whole one.
  const unfinished = `${copy}.unfinished`;
  for (const name of readdirSync(copies)) rmSync(join(copies, name), { recursive: true, force: true });
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
  openToAll(unfinished);
  renameSync(unfinished, copy);
  return copy;
}

/** Lets every account read the folder's files and run its programs, whatever this process's umask was. */
function openToAll(folder: string): void {
  chmodSync(folder, 0o755);
  const isPrograms = basename(folder) === "bin";
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) openToAll(path);
    else if (entry.isFile()) chmodSync(path, isPrograms ? 0o755 : 0o644);
  }
}
