/** A response as received, before its body is decoded. */
import type { TlsFacts } from "@svc/contract";
import type { BodyClaim } from "../run/body-budget.ts";
import type { ResponseHeaders } from "./headers.ts";
import type { HttpRequest } from "./request.ts";

/** The part of a body that is read. The rest is neither read nor judged. */
export const BODY_BYTES_MAX = 10 * 1024 * 1024;

/** The part that is kept of a body that is only needed as evidence of a failure. */
const BODY_BYTES_KEPT = 64 * 1024;

/** A response and the part of its body that was kept. */
export interface HttpResponse {
  /** The URL that answered, after redirects. */
  url: URL;
  method: string;
  httpStatusCode: number;
  headers: ResponseHeaders;
  /** The body as it travelled, still encoded, or only its beginning when the run does not need the rest. */
  chunks: Buffer[];
  /** Bytes of the body that were received, kept or not. */
  wireBytes: number;
  /** Number of chunks, counted from the first, that were made by joining smaller ones. */
  joinedChunks: number;
  /** The body was longer than BODY_BYTES_MAX and reading stopped there. */
  wasCut: boolean;
  tls: TlsFacts | undefined;
}

/** Returns a response whose headers have arrived, without a body yet. */
export function beginResponse(
  { url, method }: HttpRequest,
  head: Pick<HttpResponse, "httpStatusCode" | "headers" | "tls">,
): HttpResponse {
  const { httpStatusCode, headers, tls } = head;
  return {
    url,
    method,
    httpStatusCode,
    headers,
    chunks: [],
    wireBytes: 0,
    joinedChunks: 0,
    wasCut: false,
    tls,
  };
}

/**
 * Once so many small chunks are loose they are joined: one object for each byte would take a hundred times the body's
 * size.
 */
const LOOSE_CHUNKS_MAX = 1024;

/** How much of a body a run keeps. */
export interface KeptBody {
  keepsBody: boolean;
  bodyClaim?: BodyClaim | undefined;
}

/** Callbacks that end the reading of a body early. */
export interface BodyEnd {
  /** Called with the RunnerFailure when there is no memory for a piece. */
  fail: (error: unknown) => void;
  /** The body is longer than {@link BODY_BYTES_MAX}: no further piece is wanted. */
  cut: (response: HttpResponse) => void;
}

/** Returns the listener that adds each piece of the body to the response. */
export function bodyReader(
  response: HttpResponse,
  kept: KeptBody,
  { fail, cut }: BodyEnd,
): (chunk: Buffer) => void {
  return (chunk) => {
    try {
      keepChunk(response, chunk, kept);
    } catch (error) {
      fail(error);
      return;
    }
    if (response.wireBytes <= BODY_BYTES_MAX) return;
    response.wasCut = true;
    cut(response);
  };
}

/**
 * Adds a piece of the body to a response. Only a run that reads bodies keeps all of it, so that an agent's memory does
 * not grow with the size of its targets' pages.
 * @throws RunnerFailure when there is no memory for the piece
 */
export function keepChunk(response: HttpResponse, chunk: Buffer, { keepsBody, bodyClaim }: KeptBody): void {
  const { chunks } = response;
  if (keepsBody || response.wireBytes < BODY_BYTES_KEPT) {
    bodyClaim?.reserve(chunk.length);
    chunks.push(chunk);
  }
  response.wireBytes += chunk.length;
  if (chunks.length - response.joinedChunks < LOOSE_CHUNKS_MAX) return;
  chunks.push(Buffer.concat(chunks.splice(response.joinedChunks)));
  response.joinedChunks = chunks.length;
}
