/** Reads the config's files and fills in their placeholders. */

import { dirname, resolve } from "node:path";
import { CONFIG_FOLDER, type Environment } from "@svc/as-code";
import {
  fileProblem,
  type LoadedConfig,
  Positions,
  type Problem,
  type ReadOptions,
  type ReadValue,
  readYaml,
  type SourceFile,
  unreadable,
} from "@svc/as-code/config";
import { LineCounter } from "yaml";
import { shownPath } from "../runtime/paths.ts";
import { entriesIn } from "./entries-in.ts";
import { getConfig } from "./find-config.ts";
import { isFolder, readText } from "./read-text.ts";

const FILES_MAX = 10_000;

/**
 * Reads the config of a folder. Problems are collected, not thrown.
 * @throws CliError when there is no config, or one in both layouts
 */
export function loadConfig(cwd: string, env: Environment): LoadedConfig {
  const { format, path } = getConfig(cwd);
  const files = format === "file" ? [path] : yamlFilesIn(path);
  const countProblem = problemOfCount(files.length);
  const positions = new Positions();
  const read =
    files.length > FILES_MAX ? [] : files.map((file) => readConfigFile(cwd, file, { env, positions }));
  return {
    format,
    folder: cwd,
    positions,
    parts: read.flatMap(({ file, value }) => (file && value !== undefined ? [{ file, value }] : [])),
    problems: [...(countProblem ? [countProblem] : []), ...read.flatMap(({ problems }) => problems)],
    unresolved: read.flatMap(({ unresolved }) => unresolved),
    secrets: read.flatMap(({ secrets }) => secrets),
    coercible: new Set(read.flatMap(({ coercible }) => [...coercible])),
  };
}

function problemOfCount(count: number): Problem | undefined {
  if (count === 0) return fileProblem(`${CONFIG_FOLDER}/`, "there is no YAML file in it");
  return count > FILES_MAX
    ? fileProblem(`${CONFIG_FOLDER}/`, `holds more than ${FILES_MAX} YAML files`)
    : undefined;
}

/** Reads one file; `path` may be relative to the working folder. Problems are collected, not thrown. */
export function readConfigFile(
  cwd: string,
  typedPath: string,
  options: ReadOptions,
): ReadValue & { file?: SourceFile } {
  const path = resolve(cwd, typedPath);
  const shown = shownPath(cwd, path);
  const text = isFolder(path)
    ? { problem: "is a link to a folder; only links to files are followed" }
    : readText(path);
  if (typeof text !== "string") return unreadable([fileProblem(shown, text.problem)]);
  const file: SourceFile = { shownPath: shown, folder: dirname(path), text, lines: new LineCounter() };
  return { ...readYaml(file, options), file };
}

/**
 * Lists the YAML files of a folder, in order of their paths, so that messages and plans don't depend on the file
 * system. Links count like the files they lead to: a part that is left out silently would be deleted by --prune.
 */
function yamlFilesIn(folder: string): string[] {
  return entriesIn(folder)
    .filter(({ name, path, isLink }) => /\.ya?ml$/.test(name) || (isLink && isFolder(path)))
    .map(({ path }) => path);
}
