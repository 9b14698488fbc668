/** Files to the control plane, over a connection of their own: the session is not held up. */
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import {
  type PutArtifactRequest,
  PutArtifactRequestSchema,
  RunnerService,
} from "@svc/proto/svc/runner/v1/runner_pb";
import { Connection } from "../session/connection.ts";
import type { KeptArtifact } from "./artifact-folder.ts";

export interface UploaderParts {
  /** Origin of the control plane's RunnerService. */
  url: string;
  runnerKey: string;
  /** PEM of the authorities that may have signed its certificate; undefined: the system's. */
  ca: string | undefined;
  setTimer: (callback: () => void, delayMs: number) => () => void;
}

const UPLOAD_TIMEOUT_MS = 60_000;
const PART_BYTES = 256 * 1024;
/** Another attempt would end alike (see PutArtifact in runner.proto). */
const FINAL = new Set([Code.InvalidArgument, Code.PermissionDenied, Code.NotFound, Code.ResourceExhausted]);

/** @returns a function that sends a file; it answers why one is refused for good, and throws when it may be tried again */
export function artifactUploader({ url, runnerKey, ca, setTimer }: UploaderParts) {
  return async (artifact: KeptArtifact, content: Buffer): Promise<string | undefined> => {
    const connection = new Connection({ url, ca, setTimer });
    try {
      const transport = createGrpcTransport({ baseUrl: url, sessionManager: connection });
      await createClient(RunnerService, transport).putArtifact(partsOf(artifact, content), {
        headers: { authorization: `Bearer ${runnerKey}` },
        timeoutMs: UPLOAD_TIMEOUT_MS,
      });
      return undefined;
    } catch (cause) {
      const error = ConnectError.from(cause);
      if (FINAL.has(error.code)) return error.rawMessage;
      throw error;
    } finally {
      connection.close();
    }
  };
}

async function* partsOf(
  { checkKey, locationKey, slotMs, sha256 }: KeptArtifact,
  content: Buffer,
): AsyncGenerator<PutArtifactRequest> {
  const header = {
    checkKey: BigInt(checkKey),
    locationKey,
    slotMs: BigInt(slotMs),
    sha256: Uint8Array.from(Buffer.from(sha256, "hex")),
    bytes: content.length,
  };
  yield create(PutArtifactRequestSchema, { part: { case: "header", value: header } });
  for (let at = 0; at < content.length; at += PART_BYTES) {
    const value = Uint8Array.from(content.subarray(at, at + PART_BYTES));
    yield create(PutArtifactRequestSchema, { part: { case: "chunk", value } });
  }
}
