/** Turns every error that leaves a route into one JSON answer, and logs faults of our own, once. */
import { DomainError, type ErrorEnvelope } from "@svc/contract";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isDatabaseUnavailable, isStatementTimeout, isUnstorableText } from "../db/errors.ts";
import { BODY_BYTES_MAX, invalidBody } from "./body.ts";
import { errorAnswer } from "./errors.ts";
import { isRead } from "./request-seats.ts";

/** Retry-After while the database is away. */
const DATABASE_RETRY_SECONDS = 2;

/** Answers a request for an unknown path by a page; undefined: by the usual envelope. */
export type AnswerUnknownPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined;

/** Installs the handlers of errors and of unknown routes. */
export function handleErrors(app: FastifyInstance, answerUnknownPage?: AnswerUnknownPage): void {
  app.setErrorHandler((error: Error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const [path] = request.url.split("?");
    void reply.code(404);
    return (
      answerUnknownPage?.(request, reply) ?? reply.send({ error: `No such route: ${request.method} ${path}` })
    );
  });
}

/** Answers a request with the error's status and envelope. */
export function sendError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = asDomainError(error, request);
  if (known) {
    const { status, body } = errorAnswer(known);
    if (known.retryAfterSeconds !== undefined) void reply.header("retry-after", known.retryAfterSeconds);
    if (known.code === "unauthenticated") void reply.header("www-authenticate", "Bearer");
    if (known.code === "unavailable" && known.cause) request.log.debug({ err: known.cause }, known.message);
    return reply.code(status).send(body);
  }
  const own = frameworkAnswer(error as FastifyError, request);
  if (own) return reply.code(own.status).send(own.body);
  request.log.error(
    { err: error, method: request.method, route: request.routeOptions.url },
    "request failed",
  );
  const body: ErrorEnvelope = {
    error: `Internal error; the service's log has the details (request ${request.id})`,
  };
  return reply.code(500).send(body);
}

/** Returns the error that the caller may see; undefined for a fault of the service. */
export function asDomainError(error: Error, request: FastifyRequest): DomainError | undefined {
  if (error instanceof DomainError) return error;
  if (isUnstorableText(error)) return invalidBody("a text holds the NUL character, which can't be stored");
  if (isStatementTimeout(error) && isRead(request))
    return new DomainError(
      "unavailable",
      "The answer took the database too long; ask for a shorter time or fewer records, or try again",
      { retryAfterSeconds: DATABASE_RETRY_SECONDS, cause: error },
    );
  if (isDatabaseUnavailable(error))
    return new DomainError("unavailable", "The database is not available at the moment; try again", {
      retryAfterSeconds: DATABASE_RETRY_SECONDS,
      cause: error,
    });
  return undefined;
}

/** Returns the answer to fastify's own errors about a request; undefined for errors that are not the caller's doing. */
function frameworkAnswer(
  error: FastifyError,
  request: FastifyRequest,
): { status: number; body: ErrorEnvelope } | undefined {
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return {
        status: 413,
        body: { error: `The body is larger than ${request.routeOptions.bodyLimit ?? BODY_BYTES_MAX} bytes` },
      };
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return { status: 415, body: { error: "Unsupported content type; send application/json" } };
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return errorAnswer(invalidBody("the body's size differs from its Content-Length"));
    case "FST_ERR_BAD_URL":
      return { status: 400, body: { error: "The path is not a valid URL path" } };
    case "FST_ERR_MAX_PARAM_LENGTH":
      return { status: 414, body: { error: "A part of the path is longer than any id" } };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { status: 408, body: { error: "The request took too long to arrive" } };
  }
  const status = error.statusCode;
  if (status !== undefined && status >= 400 && status < 500)
    return { status, body: { error: error.message } };
  return undefined;
}
