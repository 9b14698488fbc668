/** Parsing of request bodies. */
import { DomainError, invalidField } from "@svc/contract";
import type { FastifyInstance } from "fastify";
import { BODY_SHAPE_LIMITS, findShapeProblem } from "./json-shape.ts";

/** Largest request body. */
export const BODY_BYTES_MAX = 1024 * 1024;

/** Largest body of a route that anybody may call: a password, a code or a name. */
export const PUBLIC_BODY_BYTES_MAX = 16 * 1024;

/** A shorter text can't exceed a limit on its shape by much, and is not looked through. */
const SHAPED_LENGTH_MIN = 4 * 1024;

/** Makes the server accept JSON bodies only; an empty body counts as none. */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    const text = String(body);
    if (text.trim() === "") {
      done(null, undefined);
      return;
    }
    const problem = text.length < SHAPED_LENGTH_MIN ? undefined : findShapeProblem(text, BODY_SHAPE_LIMITS);
    if (problem) {
      done(
        problem.field === undefined
          ? invalidBody(problem.message)
          : invalidField(problem.field, problem.message),
      );
      return;
    }
    void parse(request, text, (error, value) => {
      if (error) done(invalidBody("the body is not valid JSON"));
      else done(null, value);
    });
  });
}

/** Returns the error of a bad body, answered 400, with one message about the body as a whole. */
export function invalidBody(message: string): DomainError {
  return new DomainError("invalid", "Validation failed", {
    details: { fieldErrors: {}, formErrors: [message] },
  });
}

/** Makes the routes of a scope accept the bodies of HTML forms as well, each field as a text. */
export function acceptFormToo(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string", bodyLimit: PUBLIC_BODY_BYTES_MAX },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
}
