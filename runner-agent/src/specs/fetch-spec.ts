/**
 * Fetches documents of API specs from the control plane, over a connection of their own, so that they don't hold up the
 * session.
 */
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { RunnerService } from "@svc/proto/svc/runner/v1/runner_pb";
import type { ApiSpecRef } from "../model/assignment.ts";
import { Connection } from "../network/connection.ts";

/** Address and credential of the control plane. */
export interface SpecFetcherParts {
  /** Origin of the control plane's RunnerService. */
  url: string;
  runnerKey: string;
  /** PEM of the authorities that may have signed its certificate; undefined: the system's. */
  ca: string | undefined;
  setTimer: (callback: () => void, delayMs: number) => () => void;
}

/** Time for the whole fetch. */
const FETCH_TIMEOUT_MS = 20_000;
/** Largest compressed document accepted. */
const FETCH_BYTES_MAX = 32 * 1024 * 1024;

/**
 * Returns a function that fetches a spec's compressed document. It rejects with a ConnectError when that is not
 * available.
 */
export function specFetcher({ url, runnerKey, ca, setTimer }: SpecFetcherParts) {
  return async ({ specId, contentSha256 }: ApiSpecRef): Promise<Buffer> => {
    const connection = new Connection({ url, ca, setTimer });
    try {
      const transport = createGrpcTransport({ baseUrl: url, sessionManager: connection });
      const answer = createClient(RunnerService, transport).getApiSpec(
        { specId, contentSha256 },
        { headers: { authorization: `Bearer ${runnerKey}` }, timeoutMs: FETCH_TIMEOUT_MS },
      );
      const chunks: Uint8Array[] = [];
      let length = 0;
      for await (const { chunk } of answer) {
        chunks.push(chunk);
        length += chunk.byteLength;
        if (length > FETCH_BYTES_MAX) throw new Error("the API spec's document is too long");
      }
      return Buffer.concat(chunks, length);
    } finally {
      connection.close();
    }
  };
}
