/** Maps errors to the REST envelope, exhaustively over their codes. */
import type { DomainError, DomainErrorCode, ErrorEnvelope } from "@svc/contract";

const HTTP_STATUS: Record<DomainErrorCode, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  session_required: 403,
  display_only: 403,
  role_required: 403,
  limit_exceeded: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  rate_limited: 429,
  unavailable: 503,
};

/** Codes that the answer names: clients tell these refusals from others of their status. */
const NAMED_CODES: ReadonlySet<DomainErrorCode> = new Set([
  "session_required",
  "display_only",
  "role_required",
]);

/** Returns status and body for an error that the caller may see. */
export function errorAnswer(error: DomainError): { status: number; body: ErrorEnvelope } {
  const body: ErrorEnvelope = { error: error.message };
  if (NAMED_CODES.has(error.code)) body.code = error.code;
  if (error.details) body.details = error.details;
  return { status: HTTP_STATUS[error.code], body };
}
