/** Maps errors to Connect codes: the one mapper of this transport, exhaustive over the codes. */
import { Code, ConnectError } from "@connectrpc/connect";
import { DomainError, type DomainErrorCode } from "@svc/contract";
import type { Logger } from "pino";

const CONNECT_CODE: Record<DomainErrorCode, Code> = {
  invalid: Code.InvalidArgument,
  unauthenticated: Code.Unauthenticated,
  forbidden: Code.PermissionDenied,
  session_required: Code.PermissionDenied,
  display_only: Code.PermissionDenied,
  role_required: Code.PermissionDenied,
  limit_exceeded: Code.ResourceExhausted,
  not_found: Code.NotFound,
  conflict: Code.Aborted,
  precondition_failed: Code.FailedPrecondition,
  gone: Code.FailedPrecondition,
  too_large: Code.ResourceExhausted,
  rate_limited: Code.ResourceExhausted,
  unavailable: Code.Unavailable,
};

/**
 * Returns the error to send to the agent. An error that is neither a DomainError nor a ConnectError is logged and sent
 * as INTERNAL.
 */
export function toConnectError(error: unknown, log: Logger): ConnectError {
  if (error instanceof ConnectError) return error;
  if (error instanceof DomainError) {
    const fields = Object.entries(error.details?.fieldErrors ?? {}).flatMap(([field, messages]) =>
      messages.map((message) => `${field}: ${message}`),
    );
    return new ConnectError([error.message, ...fields].join("; "), CONNECT_CODE[error.code]);
  }
  log.error({ err: error }, "a runner's session failed");
  return new ConnectError("internal error; see the control plane's log", Code.Internal);
}
