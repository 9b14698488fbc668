/** Unpacks compressed documents without blocking the event loop, and checks them against the hash that names them. */
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";

/** Largest document, unpacked: the largest that a user may send, with its YAML aliases expanded. */
const DOCUMENT_BYTES_MAX = 64 * 1024 * 1024;

/** Resolves with the document as compact JSON. Rejects when it is not the document with this SHA-256. */
export async function unpackSpec(gzip: Uint8Array, sha256: string): Promise<Buffer> {
  const hash = createHash("sha256");
  const chunks: Buffer[] = [];
  let length = 0;
  await pipeline(Readable.from([gzip]), createGunzip({ chunkSize: 256 * 1024 }), async (parts) => {
    // Part by part, so that the event loop has its turns in between.
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
