/**
 * Finds and reads the config: `svc.config.yaml`, or the folder `svc.config/` with any number of YAML files, each a part of it.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { LineCounter, parseDocument, type YAMLParseError, type YAMLWarning } from "yaml";
import { CliError } from "../runtime/cli-error.ts";
import type { Environment } from "./interpolate.ts";
import { Places, type Problem, problemAt, type SourceFile } from "./positions.ts";
import { type ReadValue, readDocument } from "./read-yaml-value.ts";

export const CONFIG_FILE = "svc.config.yaml";
export const CONFIG_FOLDER = "svc.config";
export type ConfigFormat = "file" | "directory";

/** Of one file; more is no config that anyone wrote. */
export const CONFIG_BYTES_MAX = 10 * 1024 * 1024;
const FILES_MAX = 10_000;

/** One file as it was read. */
export interface ConfigPart {
  file: SourceFile;
  value: unknown;
}

export interface LoadedConfig {
  format: ConfigFormat;
  /** The folder that the config lies in: state is kept there. */
  folder: string;
  parts: ConfigPart[];
  places: Places;
  problems: Problem[];
  unresolved: Problem[];
  secrets: string[];
  coercible: Set<string>;
}

/** Which layout is there. @throws CliError when there is none, or both */
export function findConfig(cwd: string): { format: ConfigFormat; path: string } {
  const path = existingConfig(cwd);
  if (path) return path;
  throw new CliError("general_error", `there is no ${CONFIG_FILE} here`, {
    hint: "Run: svc init   (or svc pull, to begin with what is deployed)",
  });
}

export function existingConfig(cwd: string): { format: ConfigFormat; path: string } | undefined {
  const file = [CONFIG_FILE, "svc.config.yml"].map((name) => join(cwd, name)).find(existsSync);
  const folder = join(cwd, CONFIG_FOLDER);
  const hasFolder = existsSync(folder) && statSync(folder).isDirectory();
  if (file && hasFolder)
    throw new CliError("general_error", `there are both ${relative(cwd, file)} and ${CONFIG_FOLDER}/`, {
      hint: "Keep one of them",
    });
  if (file) return { format: "file", path: file };
  return hasFolder ? { format: "directory", path: folder } : undefined;
}

/** Reads and fills in placeholders. Problems are collected, not thrown. @throws CliError when there is no config */
export function loadConfig(cwd: string, env: Environment): LoadedConfig {
  const { format, path } = findConfig(cwd);
  const loaded: LoadedConfig = {
    format,
    folder: cwd,
    parts: [],
    places: new Places(),
    problems: [],
    unresolved: [],
    secrets: [],
    coercible: new Set(),
  };
  const files = format === "file" ? [path] : yamlFilesIn(path);
  if (files.length === 0) loaded.problems.push(aboutFile(`${CONFIG_FOLDER}/`, "there is no YAML file in it"));
  if (files.length > FILES_MAX) {
    loaded.problems.push(aboutFile(`${CONFIG_FOLDER}/`, `holds more than ${FILES_MAX} YAML files`));
    return loaded;
  }
  for (const file of files) readPart(loaded, cwd, file, env);
  return loaded;
}

function readPart(loaded: LoadedConfig, cwd: string, path: string, env: Environment): void {
  const shownPath = relative(cwd, path);
  const text = isFolder(path)
    ? { problem: "is a link to a folder; only links to files are followed" }
    : readText(path);
  if (typeof text !== "string") {
    loaded.problems.push(aboutFile(shownPath, text.problem));
    return;
  }
  const file: SourceFile = { shownPath, folder: dirname(path), text, lines: new LineCounter() };
  const read = readYaml(file, env, loaded.places);
  loaded.problems.push(...read.problems);
  loaded.unresolved.push(...read.unresolved);
  loaded.secrets.push(...read.secrets);
  for (const key of read.coercible) loaded.coercible.add(key);
  if (read.value !== undefined) loaded.parts.push({ file, value: read.value });
}

function readYaml(file: SourceFile, env: Environment, places: Places): ReadValue {
  const nothing = { value: undefined, unresolved: [], secrets: [], coercible: new Set<string>() };
  try {
    const document = parseDocument(file.text, {
      lineCounter: file.lines,
      prettyErrors: false,
      uniqueKeys: true,
      merge: false,
      // Nothing is logged here; "silent" would also hide that there is a second document.
      logLevel: "error",
    });
    const errors = [...document.errors, ...document.warnings.filter(isUnknownTag)];
    if (errors.length > 0) return { ...nothing, problems: syntaxProblems(file, errors) };
    return readDocument(document, file, env, places);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { ...nothing, problems: [aboutFile(file.shownPath, "nested too deeply")] };
  }
}

/** `!include x` would else be the text "x". */
function isUnknownTag({ code }: YAMLParseError | YAMLWarning): boolean {
  return code === "TAG_RESOLVE_FAILED";
}

/** One per line, without what only follows from an earlier one. */
function syntaxProblems(file: SourceFile, errors: readonly (YAMLParseError | YAMLWarning)[]): Problem[] {
  const first = errors.findIndex(({ message }) => /in YAML stream/.test(message));
  const own = errors.filter(({ message }, i) => i === first || !/in YAML stream/.test(message));
  const problems = own.map((error) => syntaxProblem(file, error));
  return problems.filter(({ line }, i) => problems.findIndex((other) => other.line === line) === i);
}

/** The parser's words, with the way out where they need one. */
function syntaxProblem(file: SourceFile, { code, message, pos }: YAMLParseError | YAMLWarning): Problem {
  const place = { file, offset: pos[0] };
  const atTab = file.text[pos[0]] === "\t" || code === "TAB_AS_INDENT";
  const lineStart = file.text.lastIndexOf("\n", pos[0] - 1) + 1;
  const line = file.text.slice(lineStart, file.text.indexOf("\n", lineStart) >>> 0);
  if (atTab || /^\s*\t/.test(line))
    return problemAt(place, [], "YAML takes no tabs as indentation; use spaces");
  if (code === "DUPLICATE_KEY")
    return problemAt(place, [], `the key ${keyAt(file.text, pos[0])} is there twice`);
  if (code === "MULTIPLE_DOCS") return problemAt(place, [], "only one YAML document per file");
  if (/^Maximum call stack/.test(message)) return problemAt(place, [], "nested too deeply");
  const first = message.split("\n")[0] ?? message;
  const hint = quotesHint(line, file.text.slice(pos[0]));
  return problemAt(place, [], `not valid YAML: ${first}${hint}`);
}

/** Mistakes that anyone makes once: what this config writes in front is a sign of YAML's. */
function quotesHint(line: string, rest: string): string {
  const [channel] = /^@[\w.-]*/.exec(rest) ?? [];
  if (channel !== undefined) return ` (a channel reference needs quotes: "${channel}")`;
  return /\{\{|\$\{/.test(line) ? " (a placeholder within { } or at the beginning needs quotes)" : "";
}

function keyAt(text: string, offset: number): string {
  return `"${/^["']?([^\n:"']{0,80})/.exec(text.slice(offset, offset + 90))?.[1]?.trim() ?? ""}"`;
}

/** The text, or why it can't be had. */
export function readText(path: string, bytesMax = CONFIG_BYTES_MAX): string | { problem: string } {
  try {
    const stat = statSync(path);
    // A pipe or a device may have no end.
    if (!stat.isFile() && !stat.isDirectory()) return { problem: "is no regular file" };
    const { size } = stat;
    if (size > bytesMax) return { problem: `is ${size} bytes; at most ${bytesMax} are read` };
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { problem: "there is no such file" };
    if (code === "EACCES" || code === "EPERM") return { problem: "may not be read (permissions)" };
    if (code === "EISDIR") return { problem: "is a folder" };
    return { problem: error instanceof TypeError ? "is not UTF-8 text" : `can't be read (${code ?? error})` };
  }
}

/**
 * In order of their paths, so that messages and plans don't depend on the file system. Links count like what they lead to: a part
 * that is left out silently would be deleted by --prune.
 */
function yamlFilesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
    .filter(({ entry, path }) => /\.ya?ml$/.test(entry.name) || (entry.isSymbolicLink() && isFolder(path)))
    .map(({ path }) => path)
    .sort();
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function aboutFile(file: string, message: string): Problem {
  return { path: "", message, file };
}
