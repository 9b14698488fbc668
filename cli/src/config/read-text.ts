/** Reads text files that a user names, with a reason in words when one can't be read. */
import { readFileSync, statSync } from "node:fs";
import { unixLines } from "@svc/as-code";

/** Largest config file; nobody writes a larger one. */
const CONFIG_BYTES_MAX = 10 * 1024 * 1024;

/**
 * Returns the text, or the reason why it can't be read. Lines end with \n, also where Git for Windows wrote \r\n, so that a
 * script deployed from there is the script of everyone else.
 */
export function readText(path: string, bytesMax = CONFIG_BYTES_MAX): string | { problem: string } {
  try {
    const stat = statSync(path);
    // A pipe or a device may have no end.
    if (!stat.isFile() && !stat.isDirectory()) return { problem: "is no regular file" };
    if (stat.size > bytesMax) return { problem: `is ${stat.size} bytes; at most ${bytesMax} are read` };
    return unixLines(new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path)));
  } catch (error) {
    return { problem: readProblem(error) };
  }
}

function readProblem(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EACCES" || code === "EPERM") return "may not be read (permissions)";
  if (code === "EISDIR") return "is a folder";
  return error instanceof TypeError ? "is not UTF-8 text" : `can't be read (${code ?? error})`;
}

/** True for a folder, and for a link to one. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
