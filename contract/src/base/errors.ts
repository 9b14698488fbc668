/** Errors for callers: a closed set of codes, and the envelope that carries them over REST. */

/** Error text of a lifecycle action on an incident that a key asks for; the answer, a 403, has no code. */
export const LIFECYCLE_NEEDS_SESSION = "Session authentication required for lifecycle actions";

/** Each error code with its meaning for the caller. Every transport maps each code exactly once. */
export const ERROR_CODES = {
  invalid: "the request breaks a rule; `details` lists every problem by field",
  unauthenticated: "there is no valid credential",
  forbidden: "the credential does not allow this",
  session_required: "only a person who is signed in to the dashboard can do this, no key",
  display_only: "a display link shows the wall and lets a screen read nothing else",
  role_required: "the role of the person or key does not allow this",
  limit_exceeded: "the team's plan, or a cap on what a team stores, allows no more",
  not_found: "the team has no such record",
  conflict: "the record's state, or another record, does not allow this",
  precondition_failed: "the record was changed since the version that `If-Match` names",
  gone: "this existed and does not any more",
  too_large: "the request is larger than the route takes",
  rate_limited: "too many requests; `Retry-After` says when to come back",
  unavailable: "a part of the service is not there at the moment; try again",
} as const satisfies Record<string, string>;

/** Code of an error: its kind in the caller's terms. */
export type DomainErrorCode = keyof typeof ERROR_CODES;

/** The error codes. */
export const DOMAIN_ERROR_CODES = Object.keys(ERROR_CODES) as [DomainErrorCode, ...DomainErrorCode[]];

/** Messages by field (`fieldErrors`) and about the whole body (`formErrors`). */
export interface ValidationDetails {
  fieldErrors: Record<string, string[]>;
  formErrors: string[];
}

/** An error that the caller made or met. The message is a sentence safe to show; the cause goes to the log only. */
export class DomainError extends Error {
  readonly code: DomainErrorCode;
  readonly details: ValidationDetails | undefined;
  /** Seconds after which another try makes sense; for `rate_limited` and `unavailable`. */
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

/** Returns a validation error about one field: 400 with the standard envelope. */
export function invalidField(field: string, message: string): DomainError {
  return new DomainError("invalid", "Validation failed", {
    details: { fieldErrors: { [field]: [message] }, formErrors: [] },
  });
}

/** Lists what is wrong with a request as `field: reason`. */
export function problemsOf({ fieldErrors, formErrors }: ValidationDetails): string[] {
  const ofFields = Object.entries(fieldErrors).flatMap(([field, reasons]) =>
    reasons.map((reason) => `${field}: ${reason}`),
  );
  return [...ofFields, ...formErrors];
}

/** Returns an error with all that is wrong as one sentence: `locations: expected at least one; frequencySeconds: smallest is 10`. */
export function sentenceOf({ message, details }: Pick<DomainError, "message" | "details">): string {
  return (details && problemsOf(details).join("; ")) || message;
}

/** Returns the error `<thing> not found`, e.g. `notFound("Check")`. */
export function notFound(thing: string): DomainError {
  return new DomainError("not_found", `${thing} not found`);
}
