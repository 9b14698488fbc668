/** Compressed documents, unpacked off the event loop and held against the hash that names them. */
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";

/** Longest document, bytes: the largest that may be sent, with its YAML aliases expanded. */
const DOCUMENT_BYTES_MAX = 64 * 1024 * 1024;

/** The document as compact JSON. @throws Error when it is not the one with this SHA-256 */
export async function unpackSpec(gzip: Uint8Array, sha256: string): Promise<Buffer> {
  const hash = createHash("sha256");
  const chunks: Buffer[] = [];
  let length = 0;
  await pipeline(Readable.from([gzip]), createGunzip({ chunkSize: 256 * 1024 }), async (parts) => {
    // Hashed part by part, so that the loop gets its turns between them.
    for await (const part of parts as AsyncIterable<Buffer>) {
      hash.update(part);
      chunks.push(part);
      length += part.byteLength;
      if (length > DOCUMENT_BYTES_MAX) throw new Error("the API spec's document is too long");
    }
  });
  if (hash.digest("hex") !== sha256)
    throw new Error("the API spec's document is not the one that was announced");
  return Buffer.concat(chunks, length);
}
