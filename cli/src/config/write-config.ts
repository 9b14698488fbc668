/** Writes config files: whole or not at all, and over existing files only when asked. */
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { CliError } from "../runtime/cli-error.ts";
import { shownPath } from "../runtime/paths.ts";

/**
 * Writes several files, by path.
 * @throws CliError naming the files that exist, before any is written
 */
export function writeFiles(
  files: ReadonlyMap<string, string>,
  { cwd, isForced }: { cwd: string; isForced: boolean },
): void {
  const existing = [...files.keys()].filter((path) => existsSync(path));
  if (existing.length > 0 && !isForced) {
    const names = existing.map((path) => shownPath(cwd, path));
    throw new CliError("general_error", `${names.join(", ")} exists already`, {
      hint: "--force overwrites it",
    });
  }
  for (const [path, text] of files) writeFileWhole(path, text);
}

/**
 * Writes a draft beside the file and renames it, so that a crash leaves the old file or the new one.
 * @param mode default: 0644 less the umask
 */
export function writeFileWhole(path: string, text: string, mode?: number): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, text, mode === undefined ? {} : { mode });
  renameSync(draft, path);
}
