/** One response as it was received, before anything is decoded. */
import type { TlsFacts } from "@svc/contract";
import type { ResponseHeaders } from "./headers.ts";

/** At most this much of a body is read; what follows is neither read nor judged. */
export const BODY_BYTES_MAX = 10 * 1024 * 1024;

export interface HttpResponse {
  /** The URL that answered, after redirects. */
  url: URL;
  method: string;
  httpStatusCode: number;
  headers: ResponseHeaders;
  /** The body as it travelled (content encoding still on). */
  chunks: Buffer[];
  wireBytes: number;
  /** The body was longer than BODY_BYTES_MAX and reading stopped there. */
  wasCut: boolean;
  tls: TlsFacts | undefined;
}
