/**
 * Decodes content codings (gzip, deflate, br, zstd) up to a limit of output, so that a decompression bomb costs no
 * more than a large body.
 */
import type { Transform } from "node:stream";
import zlib from "node:zlib";
import { decodeZstd } from "./zstd.ts";

/** Most codings applied to one body, one after the other. No server has a reason for more. */
const CODINGS_MAX = 3;

interface Decoded {
  bytes: Buffer;
  /** True when output beyond the limit was dropped, or the input was cut. */
  wasCut: boolean;
}

/** The limits of decoding one body. */
export interface DecodeOptions {
  /** Output beyond this is dropped. */
  bytesMax: number;
  /** True when the input is the beginning of a longer one, so that its end may be missing. */
  isPartial: boolean;
}

/**
 * Decodes a body.
 * @param codings value of the Content-Encoding header
 * @throws Error with a message about the malformed data
 */
export async function decodeContent(
  wire: Buffer,
  codings: string,
  { bytesMax, isPartial }: DecodeOptions,
): Promise<Decoded> {
  const names = codings
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > CODINGS_MAX) throw new Error(`more than ${CODINGS_MAX} codings`);
  let decoded: Decoded = { bytes: wire, wasCut: isPartial };
  for (const name of names.reverse()) {
    if (name === "zstd" && !nativeZstd)
      decoded = await decodeZstd(decoded.bytes, { bytesMax, isPartial: decoded.wasCut });
    else decoded = await pump(decoderFor(name, decoded.bytes, decoded.wasCut), decoded, bytesMax);
  }
  if (decoded.bytes.length > bytesMax) return { bytes: decoded.bytes.subarray(0, bytesMax), wasCut: true };
  return decoded;
}

/** The part of zlib that decodes Zstandard. Node has it since 22.15, and the types of Node 20 don't know it. */
interface ZstdZlib {
  createZstdDecompress?: (options: { params: Record<number, number>; finishFlush?: number }) => Transform;
  constants: { ZSTD_d_windowLogMax: number; ZSTD_e_flush: number };
}
const { createZstdDecompress: nativeZstd, constants: zstdConstants } = zlib as typeof zlib & ZstdZlib;
/** Largest window, as a power of two: 16 MiB. With zstd's own default a target could make us allocate 128 MiB. */
const ZSTD_WINDOW_LOG_MAX = 24;

function decoderFor(name: string, input: Buffer, isPartial: boolean): Transform {
  const end = isPartial ? { finishFlush: zlib.constants.Z_SYNC_FLUSH } : {};
  switch (name) {
    case "gzip":
    case "x-gzip":
      return zlib.createGunzip(end);
    case "deflate":
      // RFC 9110 means zlib's format, but many old servers send raw deflate.
      return looksLikeZlib(input) ? zlib.createInflate(end) : zlib.createInflateRaw(end);
    case "br":
      return zlib.createBrotliDecompress(
        isPartial ? { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH } : {},
      );
    case "zstd":
      if (nativeZstd)
        return nativeZstd({
          params: { [zstdConstants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX },
          ...(isPartial ? { finishFlush: zstdConstants.ZSTD_e_flush } : {}),
        });
      break;
    default:
      break;
  }
  throw new Error(`the coding "${name}" is not known`);
}

/**
 * True when data begins with a zlib header (RFC 1950): method 8 in the low bits, first two bytes a multiple of 31.
 */
function looksLikeZlib(input: Buffer): boolean {
  const [first = 0, second = 0] = input;
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

function pump(decoder: Transform, input: Decoded, bytesMax: number): Promise<Decoded> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (wasCut: boolean) => {
      decoder.removeAllListeners("data");
      decoder.on("error", () => {});
      decoder.destroy();
      const bytes = Buffer.concat(chunks);
      resolve({ bytes: bytes.length > bytesMax ? bytes.subarray(0, bytesMax) : bytes, wasCut });
    };
    decoder.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > bytesMax) finish(true);
    });
    decoder.on("end", () => finish(input.wasCut));
    decoder.on("error", reject);
    decoder.end(input.bytes);
  });
}
