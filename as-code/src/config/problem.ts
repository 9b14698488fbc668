/** Problems of a config: a message with a position, and its written form. */
import type { ConfigPath, Position } from "./positions.ts";

/** A problem of a config, with its position. */
export interface Problem {
  /** Path within the config, e.g. `monitors[3].url`; empty when the problem is about a file. */
  path: string;
  message: string;
  /** Path of the file, relative to the working folder. */
  file: string;
  /** Counted from 1; absent when the problem is about the whole file. */
  line?: number;
  /** Counted from 1. */
  column?: number;
}

/** Builds a problem at a position; without one it is about the whole config. */
export function problemAt(position: Position | undefined, path: ConfigPath, message: string): Problem {
  const shownPath = pathText(path);
  if (!position) return { path: shownPath, message, file: "" };
  const { line, col } = position.file.lines.linePos(position.offset);
  return { path: shownPath, message, file: position.file.shownPath, line, column: col };
}

/** Builds a problem about a whole file. */
export function fileProblem(file: string, message: string): Problem {
  return { path: "", message, file };
}

/** Returns a path as messages show it: `monitors[3].headers.X-Id`. */
export function pathText(path: ConfigPath): string {
  return path
    .map((step, i) => (typeof step === "number" ? `[${step}]` : i === 0 ? step : `.${step}`))
    .join("");
}

/** Returns a problem on one line: `svc.config.yaml:12:5: monitors[3].url: required`. */
export function problemLine({ file, line, column, path, message }: Problem): string {
  const where = line === undefined ? file : `${file}:${line}:${column}`;
  return [where, path, message].filter((part) => part !== "").join(": ");
}
