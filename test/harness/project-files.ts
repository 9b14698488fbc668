/** The files of the project: those that git tracks. Files that somebody left beside them are nobody's business here. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT } from "./control-plane.ts";

/** Folders of what is installed, built or run, in a copy of the project without git. */
const NOT_SOURCES = new Set([".git", ".svc", "coverage", "data", "data-runner", "dist", "node_modules"]);

/**
 * Returns the paths of the project's files, relative to its root, with `/`. Where git does not know the folder, as in
 * an unpacked archive, all files count but those of folders that are installed, built or run.
 * @param root the project's folder; default: this one
 */
export function readProjectFiles(root: string = ROOT): string[] {
  const { status, stdout } = spawnSync("git", ["ls-files", "--cached", "-z"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 16 * 1024 * 1024,
  });
  if (status !== 0) return filesBelow(root).map((path) => relative(root, path));
  return stdout.split("\0").filter((file) => file !== "" && existsSync(join(root, file)));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return NOT_SOURCES.has(entry.name) ? [] : filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}
