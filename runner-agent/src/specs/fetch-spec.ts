/** Documents of API specs, fetched from the control plane over a connection of their own: the session is not held up. */
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { RunnerService } from "@svc/proto/svc/runner/v1/runner_pb";
import type { ApiSpecRef } from "../model/assignment.ts";
import { Connection } from "../network/connection.ts";

export interface SpecFetcherParts {
  /** Origin of the control plane's RunnerService. */
  url: string;
  runnerKey: string;
  /** PEM of the authorities that may have signed its certificate; undefined: the system's. */
  ca: string | undefined;
  setTimer: (callback: () => void, delayMs: number) => () => void;
}

/** For everything together. */
const FETCH_TIMEOUT_MS = 20_000;
/** Largest compressed document that is taken in. */
const FETCH_BYTES_MAX = 32 * 1024 * 1024;

/** @returns a function that fetches the compressed document of a spec; it throws ConnectError when it can't be had */
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
