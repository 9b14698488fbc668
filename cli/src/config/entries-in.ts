/** The files below a folder, without those behind links to folders. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { withSlashes } from "../runtime/paths.ts";

/** A file, or a link to a file or to a folder. */
export interface FolderEntry {
  name: string;
  path: string;
  isLink: boolean;
}

/**
 * Lists what is in a folder and in the folders below it, in order of the paths. A link to a folder is listed itself and not
 * followed: Node's own recursion follows it or not, as the version has it.
 */
export function entriesIn(folder: string): FolderEntry[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory()
        ? entriesIn(path)
        : [{ name: entry.name, path, isLink: entry.isSymbolicLink() }];
    })
    .sort((a, b) => (withSlashes(a.path) < withSlashes(b.path) ? -1 : 1));
}
