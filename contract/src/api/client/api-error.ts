/** The error that the REST client throws when the service answers with an error status. */
import type { ErrorEnvelope } from "../../base/errors.ts";

/** An error answer. `envelope` is the body when the body has the form of the service's errors. */
export class ApiError extends Error {
  readonly status: number;
  readonly envelope: ErrorEnvelope | undefined;
  /** The answer's Retry-After header, in seconds; undefined when there was none. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, envelope: ErrorEnvelope | undefined, retryAfterSeconds?: number) {
    super(envelope?.error ?? `The service answered ${status}`);
    this.name = "ApiError";
    this.status = status;
    this.envelope = envelope;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Returns the error for a response whose status is not a success. */
export function apiErrorOf(response: Response, text: string): ApiError {
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new ApiError(
    response.status,
    parseEnvelope(text),
    Number.isFinite(retryAfter) ? retryAfter : undefined,
  );
}

/** Returns the error body, or undefined when a proxy or another server answered in place of the service. */
function parseEnvelope(text: string): ErrorEnvelope | undefined {
  try {
    const body: unknown = JSON.parse(text);
    const isEnvelope =
      typeof body === "object" && body !== null && "error" in body && typeof body.error === "string";
    return isEnvelope ? (body as ErrorEnvelope) : undefined;
  } catch {
    return undefined;
  }
}
