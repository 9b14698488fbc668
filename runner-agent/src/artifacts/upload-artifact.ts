/** Uploads files to the control plane, over connections of their own, so that they don't hold up the session. */
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { MINUTE_MS } from "@svc/contract";
import {
  type PutArtifactRequest,
  PutArtifactRequestSchema,
  RunnerService,
} from "@svc/proto/svc/runner/v1/runner_pb";
import { Connection } from "../network/connection.ts";
import type { KeptArtifact } from "./artifact-folder.ts";
import { UploadConnections } from "./upload-connections.ts";

/** Address and credential of the control plane. */
export interface UploaderParts {
  /** Origin of the control plane's RunnerService. */
  url: string;
  runnerKey: string;
  /** PEM of the authorities that may have signed its certificate; undefined: the system's. */
  ca: string | undefined;
  setTimer: (callback: () => void, delayMs: number) => () => void;
}

const UPLOAD_TIMEOUT_MS = MINUTE_MS;
const PART_BYTES = 256 * 1024;
/** Codes after which another attempt would end alike (see PutArtifact in runner.proto). */
const FINAL = new Set([Code.InvalidArgument, Code.PermissionDenied, Code.NotFound, Code.ResourceExhausted]);

/**
 * Returns a function that uploads a file. Its promise is undefined when the file has arrived, the reason when it is
 * refused for good, and rejects with a ConnectError when it may be tried again.
 */
export function artifactUploader({ url, runnerKey, ca, setTimer }: UploaderParts) {
  const connections = new UploadConnections(() => new Connection({ url, ca, setTimer }), setTimer);
  return async (artifact: KeptArtifact, content: Buffer): Promise<string | undefined> => {
    const connection = connections.acquire();
    try {
      const transport = createGrpcTransport({ baseUrl: url, sessionManager: connection });
      await createClient(RunnerService, transport).putArtifact(partsOf(artifact, content), {
        headers: { authorization: `Bearer ${runnerKey}` },
        timeoutMs: UPLOAD_TIMEOUT_MS,
      });
      connections.release(connection);
      return undefined;
    } catch (error) {
      const connectError = ConnectError.from(error);
      const isRefusal = FINAL.has(connectError.code);
      connections.release(connection, { isBroken: !isRefusal });
      if (isRefusal) return connectError.rawMessage;
      throw connectError;
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
