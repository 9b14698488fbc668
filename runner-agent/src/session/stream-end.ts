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

/** What is known of how a stream ended. */
export interface StreamTrouble {
  cause: unknown;
  /** What broke the connection, which says more than what the stream saw of it. */
  failure: ConnectError | undefined;
  /** Whether the control plane had welcomed us. */
  wasWelcome: boolean;
}

export function streamEndOf({ cause, failure, wasWelcome }: StreamTrouble, url: string): StreamEnd {
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
    default: {
      const reason = reasonOf(failure ?? error);
      const hint = !wasWelcome && isOfWrongService(failure ?? error) ? WRONG_SERVICE_HINT : "";
      return { kind: "lost", line: `no session with the control plane at ${url}: ${reason}${hint}` };
    }
  }
}

const WRONG_SERVICE_HINT =
  " (is this the address of the RunnerService, by default port 8081, with the right scheme?)";

/** Answers of something that speaks HTTP/2 and is no RunnerService, and of something that does not speak HTTP/2. */
function isOfWrongService(error: ConnectError): boolean {
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return (
    code === "ERR_HTTP2_ERROR" ||
    [Code.Unimplemented, Code.Unknown, Code.Internal, Code.Canceled].includes(error.code)
  );
}

function reasonOf(error: ConnectError): string {
  // We cancel no stream: this is how one looks whose connection was closed under it.
  if (error.code === Code.Canceled || error.rawMessage === "") return "the connection was closed";
  return error.rawMessage.replaceAll(/\s+/g, " ");
}
