/** The files of a config as plain values, before they are validated. */
import { parseDocument } from "yaml";
import type { Environment } from "../interpolate.ts";
import type { ConfigFormat } from "../layout.ts";
import type { Positions, SourceFile } from "./positions.ts";
import { fileProblem, type Problem } from "./problem.ts";
import { type ReadValue, readYamlValue } from "./read-yaml-value.ts";
import { isUnknownTag, syntaxProblems } from "./syntax-problems.ts";

/** One file of the config, as plain values. */
export interface ConfigPart {
  file: SourceFile;
  value: unknown;
}

/** The files of a config as plain values, not validated yet. */
export interface LoadedConfig {
  format: ConfigFormat;
  /** Folder of the config; the state of deploys is kept there. */
  folder: string;
  parts: ConfigPart[];
  positions: Positions;
  problems: Problem[];
  /** Problems of placeholders, which are warned of as well. */
  unresolved: Problem[];
  /** Values that `{{secrets.X}}` resolved to. */
  secrets: string[];
  /** Paths, as JSON, of plain scalars that are one `${NAME}`: their text may stand for a number or a boolean. */
  coercible: Set<string>;
}

/** Surroundings of a file that is read. */
export interface ReadOptions {
  env: Environment;
  positions: Positions;
}

/** Reads the text of one file. Problems are collected, not thrown. */
export function readYaml(file: SourceFile, options: ReadOptions): ReadValue {
  try {
    const document = parseDocument(file.text, {
      lineCounter: file.lines,
      prettyErrors: false,
      uniqueKeys: true,
      merge: false,
      // The parser logs nothing here; "silent" would also hide that there is a second document.
      logLevel: "error",
    });
    const errors = [...document.errors, ...document.warnings.filter(isUnknownTag)];
    if (errors.length > 0) return unreadable(syntaxProblems(file, errors));
    return readYamlValue(document, { file, ...options });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return unreadable([fileProblem(file.shownPath, "nested too deeply")]);
  }
}

/** Returns the value of a file that has these problems and no value. */
export function unreadable(problems: Problem[]): ReadValue {
  return { value: undefined, problems, unresolved: [], secrets: [], coercible: new Set() };
}
