/** Parsing of request bodies. */
import { DomainError } from "@svc/contract";
import type { FastifyInstance } from "fastify";

/** Largest request body. */
export const BODY_BYTES_MAX = 1024 * 1024;

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
