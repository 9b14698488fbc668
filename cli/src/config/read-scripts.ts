/** Script files of browser monitors: there, readable, placeholders filled in, steps that exist. */
import { join, relative } from "node:path";
import { monitorsOf } from "./check-references.ts";
import { interpolate } from "./interpolate.ts";
import { type LoadedConfig, readText } from "./load-config.ts";
import { type ConfigPath, type Problem, pathText, problemAt } from "./positions.ts";

/** As many characters as the service takes, in UTF-8. */
const SCRIPT_BYTES_MAX = 2 * 1024 * 1024;
const STEP_MARKER = /^[ \t]*\/\/ @step:[ \t]*(.+?)[ \t]*$/gm;

export interface ReadScripts {
  /** Text by the path of the monitor that names it. */
  texts: Map<string, string>;
  problems: Problem[];
  unresolved: Problem[];
  secrets: string[];
}

export function readScripts(
  { places, folder }: LoadedConfig,
  root: Record<string, unknown>,
  env: Parameters<typeof interpolate>[1],
): ReadScripts {
  const found: ReadScripts = { texts: new Map(), problems: [], unresolved: [], secrets: [] };
  for (const { value, path } of monitorsOf(root)) {
    if (value.type !== "browser" || typeof value.script !== "string") continue;
    const scriptPath = [...path, "script"];
    const place = places.find(root, scriptPath);
    const file = join(place?.file.folder ?? folder, value.script);
    const shown = relative(folder, file) || ".";
    const text = readText(file, SCRIPT_BYTES_MAX);
    if (typeof text !== "string") {
      found.problems.push(problemAt(place, scriptPath, `the script ${shown}: ${text.problem}`));
      continue;
    }
    const filled = interpolate(text, env, "script");
    found.unresolved.push(...filled.unresolved.map((one) => inScript(shown, text, one, scriptPath)));
    found.secrets.push(...filled.secrets);
    found.texts.set(pathText(path), filled.text);
    for (const { name, index } of missingSteps(value.steps, text))
      found.problems.push(
        problemAt(
          places.find(root, [...path, "steps", index, "name"]),
          [...path, "steps", index, "name"],
          `the script has no line "// @step: ${name}"`,
        ),
      );
  }
  return found;
}

function inScript(
  file: string,
  text: string,
  { offset, message }: { offset: number; message: string },
  path: ConfigPath,
): Problem {
  const before = text.slice(0, offset).split("\n");
  return {
    path: pathText(path),
    message,
    file,
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
  };
}

function missingSteps(steps: unknown, text: string): { name: string; index: number }[] {
  const markers = new Set([...text.matchAll(STEP_MARKER)].map(([, name]) => name));
  return (Array.isArray(steps) ? steps : []).flatMap((step: { name?: unknown }, index) =>
    typeof step?.name === "string" && !markers.has(step.name) ? [{ name: step.name, index }] : [],
  );
}
