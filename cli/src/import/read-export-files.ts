/** Reads the export that `svc import` is given: a file, the files of a folder, or stdin. */

import { readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { ExportFile } from "@svc/as-code/import";
import { isFolder, readText } from "../config/read-text.ts";
import { generalError } from "../runtime/cli-error.ts";
import type { Context } from "../runtime/context.ts";

/** Largest file of an export. */
const EXPORT_BYTES_MAX = 50 * 1024 * 1024;
/** Files of a folder that are read. */
const FILES_MAX = 200;
/** Characters of stdin that are read whole; a longer text comes cut. */
const STDIN_CHARACTERS_MAX = 1024 * 1024;

/**
 * Returns the texts. Of a folder these are its JSON and YAML files, without those in folders below.
 * @param typed a path relative to the working folder, or `-` for stdin
 * @throws CliError when there is nothing to read
 */
export async function readExportFiles(
  typed: string,
  { system, signal }: Pick<Context, "system" | "signal">,
): Promise<ExportFile[]> {
  if (typed === "-") return [{ name: "stdin", text: await readWholeStdin(system, signal) }];
  const path = resolve(system.cwd, typed);
  if (!isFolder(path)) return [readFile(path, typed)];
  const names = readdirSync(path, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && /\.(?:json|ya?ml)$/i.test(entry.name))
    .map(({ name }) => name)
    .sort();
  if (names.length === 0) throw generalError(`${typed} holds no file with the extension json, yaml or yml`);
  if (names.length > FILES_MAX)
    throw generalError(`${typed} holds ${names.length} files; at most ${FILES_MAX} are read`);
  return names.map((name) => readFile(join(path, name), name));
}

function readFile(path: string, typed: string): ExportFile {
  const text = readText(path, EXPORT_BYTES_MAX);
  if (typeof text !== "string") throw generalError(`${typed} ${text.problem}`);
  return { name: basename(path), text };
}

async function readWholeStdin(
  { stdinIsTty, readStdin }: Context["system"],
  signal: AbortSignal,
): Promise<string> {
  if (stdinIsTty || !readStdin)
    throw generalError(
      "the export is read from stdin",
      "For example: svc import --from gatus - < config.yaml",
    );
  const text = await readStdin(signal);
  if (text.length > STDIN_CHARACTERS_MAX)
    throw generalError(`stdin has more than ${STDIN_CHARACTERS_MAX} characters; name the file instead`);
  return text;
}
