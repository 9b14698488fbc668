/** Explains why a stream ended: in one word for the program, in one line for the operator. */
import { Code, ConnectError } from "@connectrpc/connect";
import { oneLine } from "@svc/contract";

/**
 * - `key_refused`: the runner key is unknown or revoked
 * - `version_refused`: the control plane does not speak this agent's version of the protocol
 * - `drained`: the control plane asked the agent to connect again
 * - `lost`: anything else; the control plane can't be reached, or the connection broke
 */
type StreamEndKind = "key_refused" | "version_refused" | "drained" | "lost";

/** The explained end of a stream. */
export interface StreamEnd {
  kind: StreamEndKind;
  /** The reason, for the operator. */
  line: string;
}

/** Evidence of how a stream ended. */
export interface StreamTrouble {
  /** The error that ended the stream. */
  error: unknown;
  /** The error of the connection, if that broke first; it says more than the stream's. */
  failure: ConnectError | undefined;
  /** True when the control plane had sent its Welcome. */
  wasWelcomed: boolean;
}

/** Returns the end that the evidence shows. */
export function streamEndOf({ error: thrown, failure, wasWelcomed }: StreamTrouble, url: string): StreamEnd {
  const error = ConnectError.from(thrown);
  switch (error.code) {
    case Code.Unauthenticated:
      return {
        kind: "key_refused",
        line: `the control plane at ${url} does not accept this runner key (SVC_RUNNER_KEY): ${error.rawMessage}`,
      };
    case Code.FailedPrecondition:
      return {
        kind: "version_refused",
        line: `the control plane at ${url} does not speak this agent's protocol version: ${error.rawMessage}`,
      };
    case Code.ResourceExhausted:
      return {
        kind: "lost",
        line: `a limit ended the session with the control plane at ${url}: ${reasonOf(error)}`,
      };
    default: {
      const reason = reasonOf(failure ?? error);
      const hint = !wasWelcomed && isOfWrongService(failure ?? error) ? WRONG_SERVICE_HINT : "";
      return { kind: "lost", line: `no session with the control plane at ${url}: ${reason}${hint}` };
    }
  }
}

const WRONG_SERVICE_HINT =
  " (is this the address of the RunnerService, by default port 8081, with the right scheme?)";

/** True for the answers of a server that speaks HTTP/2 and is no RunnerService, or does not speak HTTP/2. */
function isOfWrongService(error: ConnectError): boolean {
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return (
    code === "ERR_HTTP2_ERROR" ||
    [Code.Unimplemented, Code.Unknown, Code.Internal, Code.Canceled].includes(error.code)
  );
}

function reasonOf(error: ConnectError): string {
  // The agent cancels no stream: `Canceled` means that the connection was closed under it.
  if (error.code === Code.Canceled || error.rawMessage === "") return "the connection was closed";
  return oneLine(error.rawMessage);
}
