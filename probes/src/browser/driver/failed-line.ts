/** Finds the line of a script that an error came from. Pure. */
import { SourceMap } from "node:module";
import { LINES_BEFORE_SCRIPT } from "../protocol/limits.ts";
import { SCRIPT_FILE } from "./script-module.ts";

/** A line of a stack that lies in the script. */
const FRAME = new RegExp(`^\\s+at .*\\b${SCRIPT_FILE.replace(".", "\\.")}:(\\d+):(\\d+)\\)?$`, "m");
const MAP = /^\/\/# sourceMappingURL=data:application\/json;base64,([\w+/=]+)\s*$/m;

/**
 * Returns the line of the script as its author wrote it, from 1; null when the error came from elsewhere.
 * @param code the compiled script, with its map at the end
 */
export function failedLineOf(error: unknown, code: string): number | null {
  const [, line, column] = FRAME.exec(stackOf(error)) ?? [];
  const [, map] = MAP.exec(code) ?? [];
  if (line === undefined || column === undefined || map === undefined) return null;
  const entry = new SourceMap(JSON.parse(Buffer.from(map, "base64").toString())).findEntry(
    Number(line) - 1,
    Number(column) - 1,
  );
  if (!("originalLine" in entry)) return null;
  const written = entry.originalLine + 1 - LINES_BEFORE_SCRIPT;
  return written >= 1 ? written : null;
}

/** Returns the stack; a script may throw anything. */
function stackOf(error: unknown): string {
  const stack = error instanceof Error ? error.stack : undefined;
  return typeof stack === "string" ? stack : "";
}
