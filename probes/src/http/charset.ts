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
