/** Reads the head of a server's answer, whose body is not read yet. */
import type { Incoming } from "./channel.ts";

/** True for a status of 2xx. */
export function isOk({ httpStatusCode }: Incoming): boolean {
  return httpStatusCode >= 200 && httpStatusCode <= 299;
}

/** Returns the media type in lower case, without its parameters; empty when there is none. */
export function mediaType({ headers }: Incoming): string {
  return (headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** Returns the headers that the SDK reads. */
export function sdkHeaders({ headers }: Incoming): Record<string, string> {
  const read: Record<string, string> = {};
  for (const name of ["content-type", "mcp-session-id"]) {
    const value = headers.get(name);
    if (value !== undefined) read[name] = value;
  }
  return read;
}

/** Drops the body of an answer unread. */
export function discard({ body }: Incoming): void {
  body.on("error", ignore);
  body.destroy();
}

function ignore(): void {}
