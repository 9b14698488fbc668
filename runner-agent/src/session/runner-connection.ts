/** A connection to the control plane as the session needs it: the client of its RunnerService, and why it broke. */
import { type CallOptions, type Client, type ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { RunnerService } from "@svc/proto/svc/runner/v1/runner_pb";
import { Connection, type ConnectionParts } from "../network/connection.ts";

/** Largest message accepted; the parts of a snapshot are far smaller. */
const READ_BYTES_MAX = 16 * 1024 * 1024;

/** One connection, for one stream. */
export interface RunnerConnection {
  readonly client: Pick<Client<typeof RunnerService>, "session">;
  /** Headers of the call, which carry the runner key. */
  readonly headers: NonNullable<CallOptions["headers"]>;
  /** The reason why the connection broke; undefined while it has not. */
  readonly failure: ConnectError | undefined;
  /** Closes the connection at once, with its stream. */
  close(): void;
}

/** Connects over HTTP/2. */
export function openRunnerConnection({
  runnerKey,
  ...parts
}: ConnectionParts & { runnerKey: string }): RunnerConnection {
  const connection = new Connection(parts);
  const transport = createGrpcTransport({
    baseUrl: parts.url,
    sessionManager: connection,
    readMaxBytes: READ_BYTES_MAX,
  });
  return {
    client: createClient(RunnerService, transport),
    headers: { authorization: `Bearer ${runnerKey}` },
    get failure() {
      return connection.failure;
    },
    close: () => connection.close(),
  };
}
