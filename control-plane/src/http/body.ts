/** JSON bodies: parsed so that whatever can't be stored or understood is a 400 that names the problem. */
import { DomainError } from "@svc/contract";
import type { FastifyInstance } from "fastify";

/** Largest request body. */
export const BODY_BYTES_MAX = 1024 * 1024;

/** An escape of the NUL character or of half a surrogate pair: only then is the parsed value worth walking. */
const SUSPECT_ESCAPE = /\\u(?:0000|d[89a-f])/i;

/** Takes JSON only; an empty body counts as none. */
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
      if (error) done(invalidBody(`the body is not valid JSON: ${error.message}`));
      else if (SUSPECT_ESCAPE.test(text) && hasUnstorableText(value)) done(unstorableText());
      else done(null, value);
    });
  });
}

/** 400 with one message about the body as a whole. */
export function invalidBody(message: string): DomainError {
  return new DomainError("invalid", "Validation failed", {
    details: { fieldErrors: {}, formErrors: [message] },
  });
}

/** PostgreSQL stores neither. */
export function unstorableText(): DomainError {
  return invalidBody(
    "a text holds the NUL character (\\u0000) or half of a surrogate pair; neither can be stored",
  );
}

function hasUnstorableText(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\0") || /\p{Surrogate}/u.test(value);
  if (Array.isArray(value)) return value.some(hasUnstorableText);
  if (value === null || typeof value !== "object") return false;
  return Object.entries(value).some(([key, entry]) => hasUnstorableText(key) || hasUnstorableText(entry));
}
