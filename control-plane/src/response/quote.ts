import { oneLine, truncate } from "@svc/contract";

const CHARACTERS_MAX = 240;

/** Returns what a probe said, on one line after a colon; empty when it said nothing. */
export function quoteOf(message: string | null | undefined): string {
  return message ? `: ${truncate(oneLine(message), CHARACTERS_MAX).replace(/\.$/, "")}` : "";
}
