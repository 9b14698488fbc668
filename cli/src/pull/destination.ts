/** The files that a pull writes to: where they go, what they hold now, and when they may be overwritten. */

import { existsSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { CONFIG_FILE, CONFIG_FOLDER, type ConfigFormat } from "@svc/as-code";
import { listed } from "@svc/contract";
import { parseDocument } from "yaml";
import { entriesIn } from "../config/entries-in.ts";
import { findConfig } from "../config/find-config.ts";
import { isFolder, readText } from "../config/read-text.ts";
import { writeFileWhole } from "../config/write-config.ts";
import { CliError, generalError } from "../runtime/cli-error.ts";
import { shownPath } from "../runtime/paths.ts";

/** The position and layout of the config that a pull writes. */
export interface Destination {
  format: ConfigFormat;
  /** The folder of the config. */
  folder: string;
  /** Name of the single file. */
  fileName: string;
}

/**
 * Decides where a pulled config goes.
 * @param output a folder, or (single file) the path of the file; default: where the config is, or would be
 * @throws CliError when a config of the other layout is there, or the path is of the wrong kind
 */
export function destinationOf(cwd: string, output: string | undefined, format: ConfigFormat): Destination {
  const path = resolve(cwd, output ?? ".");
  const isFile = format === "file" && output !== undefined && /\.ya?ml$/.test(output) && !isFolder(path);
  if (!isFile && existsSync(path) && !isFolder(path)) throw generalError(`${output} is not a folder`);
  const folder = isFile ? dirname(path) : path;
  const existing = existsSync(folder) ? findConfig(folder) : undefined;
  if (existing && existing.format !== format && !isFile)
    throw generalError(
      `${shownPath(cwd, existing.path)} exists already, in the other layout`,
      `Remove it first, or pull in its layout: svc pull --format ${existing.format}`,
    );
  const found = existing?.format === "file" ? basename(existing.path) : CONFIG_FILE;
  return { format, folder, fileName: isFile ? basename(path) : found };
}

/** Returns the path of the config that a pull writes: its file, or the folder of the directory layout. */
export function configPathOf({ format, folder, fileName }: Destination): string {
  return join(folder, format === "file" ? fileName : CONFIG_FOLDER);
}

/** Returns the texts of the present config and scripts, by path relative to the folder; unreadable files are left out. */
export function formerTexts({ format, folder, fileName }: Destination): Map<string, string> {
  const paths =
    format === "file"
      ? [fileName, ...filesIn(join(folder, "monitors"), /\.ts$/)]
      : filesIn(join(folder, CONFIG_FOLDER), /\.(ya?ml|ts)$/);
  const texts = new Map<string, string>();
  for (const path of paths) {
    const text = readText(resolve(folder, path));
    if (typeof text === "string") texts.set(shownPath(folder, resolve(folder, path)), text);
  }
  return texts;
}

/** Returns the project that a config names; undefined when it names none or is no YAML. */
export function projectIn(texts: ReadonlyMap<string, string>): string | undefined {
  for (const [path, text] of texts) {
    if (!/\.ya?ml$/.test(path) || !/^["']?project["']?\s*:/m.test(text)) continue;
    const project = parseDocument(text, { logLevel: "silent" }).get("project");
    if (typeof project === "string" && !/\{\{|\$\{/.test(project)) return project;
  }
  return undefined;
}

/**
 * Writes the files that differ, and removes parts of the directory layout that are no longer among them.
 * @throws CliError, before anything is written, when existing files would change without `isForced`
 */
export function writePulled(
  { format, folder }: Destination,
  files: ReadonlyMap<string, string>,
  { cwd, isForced }: { cwd: string; isForced: boolean },
): void {
  const differing = [...files].filter(([path, text]) => currentText(join(folder, path)) !== text);
  const stale =
    format === "directory"
      ? filesIn(join(folder, CONFIG_FOLDER), /\.ya?ml$/).filter((path) => !files.has(shownPath(folder, path)))
      : [];
  const touched = [...differing.map(([path]) => join(folder, path)).filter(existsSync), ...stale];
  if (touched.length > 0 && !isForced) {
    const names = touched.map((path) => shownPath(cwd, path)).sort();
    throw new CliError("general_error", `${listed(names)} would be overwritten; nothing was written`, {
      hint: "--force overwrites the whole config",
      details: { files: names },
    });
  }
  for (const [path, text] of differing) writeFileWhole(join(folder, path), text);
  for (const path of stale) rmSync(path);
}

function currentText(path: string): string | undefined {
  const text = readText(path);
  return typeof text === "string" ? text : undefined;
}

function filesIn(folder: string, pattern: RegExp): string[] {
  if (!isFolder(folder)) return [];
  return entriesIn(folder)
    .filter(({ name }) => pattern.test(name))
    .map(({ path }) => path);
}
