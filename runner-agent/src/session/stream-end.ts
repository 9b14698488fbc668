/** Why a stream ended, in one word for the program and one line for the operator. */
import { Code, ConnectError } from "@connectrpc/connect";

export type StreamEnd =
  /** The key is unknown or revoked. */
  | { kind: "key_refused"; line: string }
  /** The control plane does not speak our version of the protocol. */
  | { kind: "version_refused"; line: string }
  /** It asked us to connect again. */
  | { kind: "drained"; line: string }
  /** Anything else: it can't be reached, or the connection broke. */
  | { kind: "lost"; line: string };

export function streamEndOf(cause: unknown, url: string): StreamEnd {
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
      return { kind: "lost", line: `no session with the control plane at ${url}: ${reasonOf(error)}` };
  }
}

function reasonOf(error: ConnectError): string {
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  const message = error.rawMessage || cause?.message || "the connection was closed";
  switch (error.code) {
    case Code.Unimplemented:
    case Code.Unknown:
      return `${message} (is this the address of the RunnerService, by default port 8081?)`;
    default:
      return cause?.code !== undefined && !message.includes(cause.code)
        ? `${message} (${cause.code})`
        : message;
  }
}
