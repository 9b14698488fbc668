/** Why a stream ended, in one word for the program and one line for the operator. */
import { Code, ConnectError } from "@connectrpc/connect";

export interface StreamEnd {
  kind: /** The key is unknown or revoked. */
    | "key_refused"
    /** The control plane does not speak our version of the protocol. */
    | "version_refused"
    /** It asked us to connect again. */
    | "drained"
    /** Anything else: it can't be reached, or the connection broke. */
    | "lost";
  line: string;
}

/** @param failure what broke the connection, which says more than what the stream saw of it */
export function streamEndOf(cause: unknown, failure: ConnectError | undefined, url: string): StreamEnd {
  const error = ConnectError.from(cause);
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
    default:
      return {
        kind: "lost",
        line: `no session with the control plane at ${url}: ${reasonOf(failure ?? error)}`,
      };
  }
}

/** Answers of something that is not the RunnerService, and how Node names an HTTP/1 answer. */
const WRONG_SERVICE_CODES = new Set([Code.Unimplemented, Code.Unknown, Code.Internal]);

function reasonOf(error: ConnectError): string {
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  const message = error.rawMessage || "the connection was closed";
  return WRONG_SERVICE_CODES.has(error.code) || code === "ERR_HTTP2_ERROR"
    ? `${message} (is this the address of the RunnerService, by default port 8081, with the right scheme?)`
    : message;
}
