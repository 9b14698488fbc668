/** Errors that a caller can meet: a closed set of codes, one envelope on the wire. */

/** What went wrong, in the caller's terms. Each transport maps every code exactly once. */
export type DomainErrorCode =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "session_required"
  | "limit_exceeded"
  | "not_found"
  | "conflict"
  | "gone"
  | "too_large"
  | "rate_limited"
  | "unavailable";

/** Messages by field (`fieldErrors`) and about the whole body (`formErrors`). */
export interface ValidationDetails {
  fieldErrors: Record<string, string[]>;
  formErrors: string[];
}

/** Something the caller did wrong or met. The message is a sentence safe to show; the cause goes to the log only. */
export class DomainError extends Error {
  readonly code: DomainErrorCode;
  readonly details: ValidationDetails | undefined;
  /** Seconds after which trying again makes sense (rate_limited, unavailable). */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: DomainErrorCode,
    message: string,
    options: { details?: ValidationDetails; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "DomainError";
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Body of every error answer of the REST API. */
export interface ErrorEnvelope {
  error: string;
  code?: string;
  details?: ValidationDetails;
}

/** A validation error about one field: 400 with the standard envelope. */
export function invalidField(field: string, message: string): DomainError {
  return new DomainError("invalid", "Validation failed", {
    details: { fieldErrors: { [field]: [message] }, formErrors: [] },
  });
}

/** `<thing> not found`, e.g. notFound("Check"). */
export function notFound(thing: string): DomainError {
  return new DomainError("not_found", `${thing} not found`);
}
