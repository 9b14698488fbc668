/** Reads a document to upload, from a file or standard input. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { SPEC_CONTENT_BYTES_MAX } from "@svc/contract";
import { generalError } from "../../runtime/cli-error.ts";

/**
 * Returns the text of the document.
 * @param typed a path relative to `cwd`, or `-`
 * @throws CliError when the document can't be read, is too large or is no text
 */
export function readDocument(typed: string, cwd: string): string {
  const bytes = typed === "-" ? readFileSync(0) : readFile(resolve(cwd, typed), typed);
  assertSize(bytes.length, typed);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw generalError(`${typed} is not UTF-8 text`);
  }
}

function readFile(path: string, typed: string): Buffer {
  try {
    assertSize(statSync(path).size, typed);
    return readFileSync(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw generalError(`${typed} can't be read: ${message}`);
  }
}

function assertSize(bytes: number, typed: string): void {
  if (bytes > SPEC_CONTENT_BYTES_MAX)
    throw generalError(`${typed} has ${bytes} bytes; largest is ${SPEC_CONTENT_BYTES_MAX}`);
}
