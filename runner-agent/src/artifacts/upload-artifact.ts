/** Files to the control plane, over a connection of their own: the session is not held up. */
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
/** Another attempt would end alike (see PutArtifact in runner.proto). */
const FINAL = new Set([Code.InvalidArgument, Code.PermissionDenied, Code.NotFound, Code.ResourceExhausted]);

/** A run's files follow one another at once. */
const IDLE_MS = 1_000;

/** @returns a function that sends a file; it answers why one is refused for good, and throws when it may be tried again */
export function artifactUploader({ url, runnerKey, ca, setTimer }: UploaderParts) {
  const connections = new UploadConnections(() => new Connection({ url, ca, setTimer }), setTimer);
  return async (artifact: KeptArtifact, content: Buffer): Promise<string | undefined> => {
    const connection = connections.take();
    try {
      const transport = createGrpcTransport({ baseUrl: url, sessionManager: connection });
      await createClient(RunnerService, transport).putArtifact(partsOf(artifact, content), {
        headers: { authorization: `Bearer ${runnerKey}` },
        timeoutMs: UPLOAD_TIMEOUT_MS,
      });
      connections.giveBack(connection);
      return undefined;
    } catch (cause) {
      const error = ConnectError.from(cause);
      const isRefusal = FINAL.has(error.code);
      connections.giveBack(connection, !isRefusal);
      if (isRefusal) return error.rawMessage;
      throw error;
    }
  };
}

/** One connection for uploads at the same time and soon after each other; what broke is not used again. */
export class UploadConnections<T extends { close(): void }> {
  readonly #open: () => T;
  readonly #setTimer: UploaderParts["setTimer"];
  readonly #users = new Map<T, number>();
  #current: T | undefined;
  #cancelClosing: () => void = () => {};

  constructor(open: () => T, setTimer: UploaderParts["setTimer"]) {
    this.#open = open;
    this.#setTimer = setTimer;
  }

  take(): T {
    this.#cancelClosing();
    this.#current ??= this.#open();
    this.#users.set(this.#current, (this.#users.get(this.#current) ?? 0) + 1);
    return this.#current;
  }

  /** @param isBroken nobody is to take it again; those who have it go on */
  giveBack(connection: T, isBroken = false): void {
    if (isBroken && this.#current === connection) this.#current = undefined;
    const users = (this.#users.get(connection) ?? 1) - 1;
    this.#users.set(connection, users);
    if (users > 0) return;
    if (this.#current === connection)
      this.#cancelClosing = this.#setTimer(() => this.#close(connection), IDLE_MS);
    else this.#close(connection);
  }

  #close(connection: T): void {
    if (this.#current === connection) this.#current = undefined;
    this.#users.delete(connection);
    connection.close();
  }
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
