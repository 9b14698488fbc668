/** Imports an export within a test, and reads the config back as `svc validate` would. */

import { readConfigText } from "../src/config/index.ts";
import { type ExportFile, type ImportNote, importFiles, importSources } from "../src/import/index.ts";
import { filesOf } from "../src/index.ts";

type Fields = Record<string, unknown>;

/** A config made of an export, and what was said about it. */
export interface ImportedForTest {
  /** Monitors by name, in the config's form. */
  monitors: Record<string, Fields>;
  channels: Record<string, Fields>;
  /** Texts of the scripts by the name of their monitor. */
  scripts: Record<string, string>;
  /** Notes as `path: message`. */
  notes: string[];
  allNotes: ImportNote[];
  /** Environment variables that the config needs. */
  secrets: string[];
  /** Text of the config's file. */
  yaml: string;
  /** Problems that `svc validate` finds, apart from scripts that lie in files. */
  problems: string[];
}

/** Imports texts: a value is written as JSON, a text as it is. */
export function imported(
  from: string,
  contents: readonly (string | object)[] | string | object,
  locations: readonly string[] = ["loc_us_east"],
): ImportedForTest {
  const files: ExportFile[] = (
    Array.isArray(contents) && typeof contents !== "string" ? contents : [contents]
  ).map((content, at) => ({
    name: `${at}.${typeof content === "string" ? "yaml" : "json"}`,
    text: typeof content === "string" ? content : JSON.stringify(content),
  }));
  const source = importSources.find(from);
  if (!source) throw new Error(`no source ${from}`);
  const { config, notes, placeholders, unmanaged } = importFiles(source, { files, env: {}, locations });
  const written = filesOf("file", "svc.config.yaml", { project: "test", config, unmanaged, schemaLine: "" });
  const yaml = written.get("svc.config.yaml") ?? "";
  const read = readConfigText(yaml);
  return {
    monitors: Object.fromEntries(config.monitors.map(({ name, fields }) => [name, fields])),
    channels: config.alertChannels as Record<string, Fields>,
    scripts: Object.fromEntries(
      config.monitors.flatMap(({ name, script }) => (script ? [[name, script.text]] : [])),
    ),
    notes: notes.map(({ path, message }) => `${path}: ${message}`),
    allNotes: notes,
    secrets: placeholders.variables().map(({ name }) => name),
    yaml,
    problems: [...read.problems, ...read.unfilled]
      .map(({ path, message }) => `${path}: ${message}`)
      .filter((problem) => !problem.includes("a script lies in a file")),
  };
}
