/** Parses the Range header, by which browsers request videos: one range of bytes. */

/** A range of bytes within a content, from 0. */
export interface ByteRange {
  start: number;
  /** Position of the last byte, which is included. */
  end: number;
}

/**
 * Returns the requested part of a content of `bytes` bytes. Pure.
 * @returns "whole" when the header is absent or of a kind that may be ignored (RFC 9110, 14.2), "unsatisfiable" when
 * nothing of the range exists
 */
export function parseRange(header: string | undefined, bytes: number): ByteRange | "whole" | "unsatisfiable" {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (!match || (first === "" && last === "")) return "whole";
  if (first === "") {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? "unsatisfiable" : { start: bytes - length, end: bytes - 1 };
  }
  const start = Number(first);
  const end = last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== "" && Number(last) < start) return "whole";
  return start >= bytes ? "unsatisfiable" : { start, end };
}
