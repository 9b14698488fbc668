/** Which charset a body's text is in. Pure. Order of the WHATWG standards: byte order mark, header, HTML meta, UTF-8. */

/** How far into a document browsers look for a meta element. */
const META_SCAN_BYTES = 1024;

/** @returns a label that TextDecoder accepts */
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
  // A document whose meta could be read as ASCII is not in UTF-16, whatever it says.
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

/** What windows-1252 has where Latin-1 has control characters (0x80 to 0x9f). */
const WINDOWS_1252_HIGH =
  "\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178";

/** Nearly every body's; without a stream it keeps nothing from one text to the next. */
const UTF_8 = new TextDecoder("utf-8");

/** @param isPartial the bytes are the beginning of more: a character that they cut is left out */
export function decodeText(charset: string, bytes: Buffer, isPartial: boolean): string {
  // Node before 24 decodes windows-1252 (which is also what "iso-8859-1" and "us-ascii" mean on the web) as plain Latin-1.
  if (charset === "windows-1252")
    return bytes
      .toString("latin1")
      .replace(
        /[\u0080-\u009f]/g,
        (character) => WINDOWS_1252_HIGH[character.charCodeAt(0) - 0x80] as string,
      );
  if (charset === "utf-8" && !isPartial) return UTF_8.decode(bytes);
  return new TextDecoder(charset).decode(bytes, { stream: isPartial });
}
