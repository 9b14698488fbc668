/** Answers that are made once for all who ask within some seconds: as JSON text, and compressed. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Level of gzip: higher ones cost several times the CPU and save little. */
const GZIP_LEVEL = 4;
const compress = promisify(gzip);

/** An answer as text, and compressed. */
export interface CompressedText {
  text: string;
  gzipped: Buffer;
}

/** Returns the text with its compressed form. */
export async function compressedText(text: string): Promise<CompressedText> {
  return { text, gzipped: await compress(text, { level: GZIP_LEVEL }) };
}

/** Sends the compressed form to those who accept it, and the text to everybody else. */
export function sendCompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  { text, gzipped }: CompressedText,
): FastifyReply {
  const acceptsGzip = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
  return reply
    .headers({
      "content-type": "application/json; charset=utf-8",
      vary: "accept-encoding",
      ...(acceptsGzip && { "content-encoding": "gzip" }),
    })
    .send(acceptsGzip ? gzipped : text);
}
