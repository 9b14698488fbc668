/**
 * Finds the charset of a body's text and decodes it. The order is that of the WHATWG standards: byte order
 * mark, header, HTML meta element, UTF-8.
 */

import { setImmediate } from "node:timers/promises";

/** Number of bytes in which browsers look for a meta element. */
const META_SCAN_BYTES = 1024;

/** Returns the charset of a body, as a label that TextDecoder accepts. */
export function charsetOf(bytes: Uint8Array, contentType: string | undefined): string {
  return (
    byteOrderMark(bytes) ??
    supported(/;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? "")?.[1]) ??
    (/^\s*(text\/html|application\/xhtml\+xml)/i.test(contentType ?? "") ? metaCharset(bytes) : undefined) ??
    "utf-8"
  );
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return undefined;
}

function metaCharset(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, META_SCAN_BYTES));
  const label = /<meta[^>]{0,200}?charset\s*=\s*["']?([^\s"'/>;]+)/i.exec(start.toString("latin1"))?.[1];
  const charset = supported(label);
  // A document whose meta element could be read as ASCII is not in UTF-16, whatever it claims.
  return charset?.startsWith("utf-16") ? "utf-8" : charset;
}

function supported(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** The characters of windows-1252 from 0x80 to 0x9f, where Latin-1 has control characters. */
const WINDOWS_1252_HIGH =
  "\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178";

/** The decoder of nearly every body. Used without streaming, so it keeps no state between two texts. */
const UTF_8 = new TextDecoder("utf-8");

/**
 * Decodes bytes to text.
 * @param options.isPartial the bytes are the beginning of more: a character that they cut is left out
 */
export function decodeText(charset: string, bytes: Buffer, { isPartial }: { isPartial: boolean }): string {
  // Node before version 24 decodes windows-1252, which is also the web's meaning of "iso-8859-1" and "us-ascii", as
  // plain Latin-1.
  if (charset === "windows-1252") return decodeWindows1252(bytes);
  if (charset === "utf-8" && !isPartial) return UTF_8.decode(bytes);
  return new TextDecoder(charset).decode(bytes, { stream: isPartial });
}

/** Bytes that are decoded at a time, so that other work gets its turn in between. */
const PIECE_BYTES = 256 * 1024;

/** True when the bytes take so long to decode that it should happen in pieces: long ones, but for UTF-8, which is fast. */
export function isSlowToDecode(charset: string, bytes: Uint8Array): boolean {
  return charset !== "utf-8" && bytes.length > PIECE_BYTES;
}

/** Decodes all the bytes to text piece by piece, and lets the event loop go on after each piece. */
export async function decodeTextInPieces(charset: string, bytes: Buffer): Promise<string> {
  const decoder = charset === "windows-1252" ? undefined : new TextDecoder(charset);
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = bytes.subarray(at, at + PIECE_BYTES);
    pieces.push(decoder?.decode(piece, { stream: true }) ?? decodeWindows1252(piece));
    await setImmediate();
  }
  return pieces.join("") + (decoder?.decode() ?? "");
}

/**
 * Byte by byte through UTF-16: to replace each of ten million characters in a string would hold up the agent for
 * seconds.
 */
function decodeWindows1252(bytes: Buffer): string {
  const utf16 = Buffer.allocUnsafe(2 * bytes.length);
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    const code = byte >= 0x80 && byte <= 0x9f ? WINDOWS_1252_HIGH.charCodeAt(byte - 0x80) : byte;
    utf16[2 * at] = code & 0xff;
    utf16[2 * at + 1] = code >> 8;
  }
  return utf16.toString("utf16le");
}
