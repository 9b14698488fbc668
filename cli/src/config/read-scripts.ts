/** Reads the script files that monitors name: fills in their placeholders and checks that the named steps exist. */

import { join } from "node:path";
import { type Environment, type Interpolated, interpolate } from "@svc/as-code";
import { type ConfigPath, type ConfigTree, monitorsOf, type Problem, pathText } from "@svc/as-code/config";
import { checkTypes, findStepMarkers } from "@svc/contract";
import { shownPath } from "../runtime/paths.ts";
import { readText } from "./read-text.ts";

/** Enough for the longest script that the service accepts, in UTF-8 bytes. */
const SCRIPT_BYTES_MAX = 2 * 1024 * 1024;

/** The scripts of all monitors, and the problems of reading them. */
export interface ReadScripts {
  /** Texts by the path of the monitor that names them, e.g. `monitors[3]`. */
  texts: Map<string, string>;
  problems: Problem[];
  unresolved: Problem[];
  secrets: string[];
}

/** @param folder folder that the config lies in */
export function readScripts(tree: ConfigTree, folder: string, env: Environment): ReadScripts {
  const read = monitorsOf(tree.root).flatMap(({ value: monitor, path }) => {
    const field = checkTypes.find(String(monitor.type))?.scriptField;
    const script = field === undefined ? undefined : monitor[field];
    if (field === undefined || typeof script !== "string") return [];
    return { path, ...readScript({ monitor, script, path, field }, tree, { folder, env }) };
  });
  return {
    texts: new Map(read.flatMap(({ path, text }) => (text === undefined ? [] : [[pathText(path), text]]))),
    problems: read.flatMap(({ problems }) => problems),
    unresolved: read.flatMap(({ unresolved }) => unresolved),
    secrets: read.flatMap(({ secrets }) => secrets),
  };
}

interface ScriptReference {
  monitor: Record<string, unknown>;
  /** Path as the config has it: relative to the file that names it. */
  script: string;
  /** Path of the monitor in the config. */
  path: ConfigPath;
  /** Field of the monitor that holds the script's path. */
  field: string;
}

interface ReadScript {
  text?: string;
  problems: Problem[];
  unresolved: Problem[];
  secrets: string[];
}

function readScript(
  { monitor, script, path, field }: ScriptReference,
  tree: ConfigTree,
  { folder, env }: { folder: string; env: Environment },
): ReadScript {
  const scriptPath = [...path, field];
  if (script.includes("\\"))
    return {
      problems: [
        tree.problem(scriptPath, `"${script}" has a backslash; write / between folders, on Windows too`),
      ],
      unresolved: [],
      secrets: [],
    };
  const file = join(tree.positionOf(scriptPath)?.file.folder ?? folder, script);
  const shownFile = shownPath(folder, file) || ".";
  const text = readText(file, SCRIPT_BYTES_MAX);
  if (typeof text !== "string")
    return {
      problems: [tree.problem(scriptPath, `the script ${shownFile}: ${text.problem}`)],
      unresolved: [],
      secrets: [],
    };
  const filled = interpolate(text, env, "script");
  return {
    text: filled.text,
    problems: missingSteps(monitor.steps, text).map(({ name, index }) =>
      tree.problem([...path, "steps", index, "name"], `the script has no line "// @step: ${name}"`),
    ),
    unresolved: filled.unresolved.map((one) => ({
      path: pathText(scriptPath),
      message: one.message,
      file: shownFile,
      ...lineAndColumn(text, one),
    })),
    secrets: filled.secrets,
  };
}

function lineAndColumn(text: string, { offset }: Interpolated["unresolved"][number]) {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function missingSteps(steps: unknown, text: string): { name: string; index: number }[] {
  const markers = new Set(findStepMarkers(text).map(({ name }) => name));
  return (Array.isArray(steps) ? steps : []).flatMap((step: { name?: unknown }, index) =>
    typeof step?.name === "string" && !markers.has(step.name) ? [{ name: step.name, index }] : [],
  );
}
