/** Words every error of every command for its user, and decides its exit code. */
import { PlanError } from "@svc/as-code/plan";
import { ApiError, DomainError, LIFECYCLE_NEEDS_SESSION, type ValidationDetails } from "@svc/contract";
import { CliError } from "./cli-error.ts";
import { EXIT_CODES, type ExitReason } from "./exit-codes.ts";

/** A failed command: reason, message and the way out. */
export interface Failure {
  reason: ExitReason;
  message: string;
  hint?: string;
  details: Record<string, unknown>;
}

/**
 * Turns an error into a failure.
 * @param apiUrl named when the service could not be reached
 */
export function failureOf(error: unknown, apiUrl: string | undefined): Failure {
  if (error instanceof CliError) {
    const { reason, message, hint, details } = error;
    return { reason, message, ...(hint === undefined ? {} : { hint }), details: { ...details } };
  }
  if (error instanceof PlanError) {
    const { message, hint, details } = error;
    return { reason: "general_error", message, hint, details: { ...details } };
  }
  if (error instanceof ApiError) return failureOfAnswer(error, apiUrl);
  if (error instanceof DomainError)
    return { reason: "general_error", message: withFields(error.message, error.details), details: {} };
  if (error instanceof Error && error.name === "TimeoutError")
    return {
      reason: "general_error",
      message: `${apiUrl ?? "the service"} did not answer in time`,
      details: {},
    };
  if (isUnreachable(error))
    return {
      reason: "general_error",
      message: `${apiUrl ?? "the service"} can't be reached: ${causeText(error)}`,
      hint: "Is it running, and is the address right (--api-url, SVC_API_URL)?",
      details: {},
    };
  if (error instanceof SyntaxError || error instanceof TypeError)
    return {
      reason: "general_error",
      message: `${apiUrl ?? "the service"} answered with JSON that the svc API does not answer with (${error.message})`,
      hint: "Is the address right (--api-url, SVC_API_URL)? --verbose tells where it was met",
      details: {},
    };
  return {
    reason: "general_error",
    message: error instanceof Error ? error.message : String(error),
    details: {},
  };
}

/** True for errors whose message says everything: refusals, mistakes of the user, a service that can't be reached. */
export function isForeseen(error: unknown): boolean {
  return (
    error instanceof CliError ||
    error instanceof PlanError ||
    error instanceof ApiError ||
    error instanceof DomainError ||
    isUnreachable(error) ||
    (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError"))
  );
}

/** Returns the envelope of a failure in --json. */
export function errorEnvelope({ reason, message, details }: Failure) {
  return {
    ok: false as const,
    error: { code: reason, message, details: { ...details, exitCode: EXIT_CODES[reason] } },
  };
}

function failureOfAnswer(error: ApiError, apiUrl: string | undefined): Failure {
  const { status, envelope, retryAfterSeconds } = error;
  const details = {
    httpStatus: status,
    ...(envelope?.details ? { validation: envelope.details } : {}),
  };
  if (!envelope)
    return {
      reason: status === 401 ? "auth_failure" : "general_error",
      message: `${apiUrl ?? "the address"} answered ${status}, and not in the way of the svc API`,
      hint: "Is the address right (--api-url, SVC_API_URL), or does a proxy stand in between?",
      details,
    };
  const message = withFields(envelope.error, envelope.details);
  switch (status) {
    case 401:
      return {
        reason: "auth_failure",
        message,
        hint: "Run: svc login --force   (or check SVC_API_KEY)",
        details,
      };
    case 403:
      // The answer about incidents has no code, and is no limit of the plan either.
      if (envelope.code === "session_required" || envelope.error === LIFECYCLE_NEEDS_SESSION)
        return { reason: "auth_failure", message, hint: "Do this in the dashboard", details };
      if (envelope.code === "role_required")
        return { reason: "auth_failure", message, hint: "Use a key with the role member", details };
      return { reason: "plan_limit", message, details };
    case 429:
      return {
        reason: "general_error",
        message:
          retryAfterSeconds === undefined || message.includes("try again")
            ? message
            : `${message} (try again in ${retryAfterSeconds} s)`,
        details,
      };
    default:
      return {
        reason: "general_error",
        message: status >= 500 ? `the service failed (${status}): ${message}` : message,
        details,
      };
  }
}

/** Appends the fields of a validation error: `Validation failed: httpConfig: url: required; name: ...`. */
function withFields(message: string, validation: ValidationDetails | undefined): string {
  if (!validation) return message;
  const fields = Object.entries(validation.fieldErrors).flatMap(([field, messages]) =>
    // A message about a part of the field begins with the path of that part already.
    messages.map((text) =>
      /^[.[]/.test(text.slice(field.length)) && text.startsWith(field) ? text : `${field}: ${text}`,
    ),
  );
  const all = [...fields, ...validation.formErrors];
  return all.length === 0 ? message : `${message}: ${all.join("; ")}`;
}

/** True for the TypeError of fetch ("fetch failed"), whose cause says what happened. */
function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError && error.cause !== undefined;
}

function causeText(error: unknown): string {
  const cause = (error as Error).cause;
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  if (!(first instanceof Error)) return String(first);
  const code = (first as NodeJS.ErrnoException).code;
  return first.message !== "" ? first.message : (code ?? "no connection");
}
