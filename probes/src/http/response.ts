/** One response as it was received, before anything is decoded. */
import type { TlsFacts } from "@svc/contract";
import type { BodyClaim } from "../run/body-budget.ts";
import type { ResponseHeaders } from "./headers.ts";

/** At most this much of a body is read; what follows is neither read nor judged. */
export const BODY_BYTES_MAX = 10 * 1024 * 1024;

/** What is kept of a body that nothing looks into unless the run fails: enough for the evidence. */
const BODY_BYTES_KEPT = 64 * 1024;

export interface HttpResponse {
  /** The URL that answered, after redirects. */
  url: URL;
  method: string;
  httpStatusCode: number;
  headers: ResponseHeaders;
  /** The body as it travelled (content encoding still on), or its beginning when the run has no use for all of it. */
  chunks: Buffer[];
  wireBytes: number;
  /** So many of the chunks are large, or were joined already. */
  joinedChunks: number;
  /** The body was longer than BODY_BYTES_MAX and reading stopped there. */
  wasCut: boolean;
  tls: TlsFacts | undefined;
}

/** Small chunks are joined when there are so many: one object for each byte would take a hundred times the body's size. */
const LOOSE_CHUNKS_MAX = 1024;

/** Adds a piece of the body. @throws RunnerFailure when there is no memory for it. Only a run that looks into bodies keeps all of it, so that memory does not grow with its targets. */
export function keepChunk(
  response: HttpResponse,
  chunk: Buffer,
  { keepsBody, bodyClaim }: { keepsBody: boolean; bodyClaim?: BodyClaim | undefined },
): void {
  const { chunks } = response;
  if (keepsBody || response.wireBytes < BODY_BYTES_KEPT) {
    bodyClaim?.take(chunk.length);
    chunks.push(chunk);
  }
  response.wireBytes += chunk.length;
  if (chunks.length - response.joinedChunks < LOOSE_CHUNKS_MAX) return;
  chunks.push(Buffer.concat(chunks.splice(response.joinedChunks)));
  response.joinedChunks = chunks.length;
}
