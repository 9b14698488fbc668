/**
 * Request bodies that carry a document of up to 10 MiB. The document stays apart from the other fields as bytes, so that
 * nothing on the event loop parses, copies or validates megabytes of text.
 */
import { DomainError, parseInput, specBodySchemas } from "@svc/contract";
import { type OpenApiEngine, parseUploadBody, SPEC_BYTES_MAX } from "@svc/openapi";
import type { FastifyRequest, FastifySchemaCompiler } from "fastify";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import { invalidBody } from "../../platform/http/body.ts";
import { whenNotBusy } from "./document.ts";

/**
 * Largest body: as a JSON string a document may be twice as long, since its quotes are escaped; 64 KiB are for the
 * other fields.
 */
export const UPLOAD_BODY_BYTES_MAX = 2 * SPEC_BYTES_MAX + 64 * 1024;
/** Largest body that is parsed on the event loop: up to here that costs less than sending the body to a worker. */
const PARSED_AT_ONCE_BYTES_MAX = 64 * 1024;

/** Bytes of a document in a private member, so that code that walks through a body's fields does not visit each byte. */
class DocumentBytes {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }
}

const documentBytes = z.custom<DocumentBytes>((value) => value instanceof DocumentBytes, {
  error: ({ input }) => (input === undefined ? "required" : "expected a string"),
});

const schemas = specBodySchemas(documentBytes);
/** Body of the request that creates a spec, with the document as bytes. */
export type CreateSpecBody = z.infer<typeof schemas.create>;
/** Body of the request that changes a spec, with the document as bytes. */
export type UpdateSpecBody = z.infer<typeof schemas.update>;

/** Validators of the two bodies; an absent body of an update counts as an empty one. */
export const createSpecValidator = validatorFor(schemas.create);
/** Validates {@link UpdateSpecBody}. An absent body counts as an empty one. */
export const updateSpecValidator = validatorFor(schemas.update, {});

/** Makes the routes of `scope` accept such bodies. */
export function acceptUploads(scope: ApiApp, engine: OpenApiEngine): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async ({ caller }: FastifyRequest, body: Buffer) => {
      if (body.byteLength === 0) return undefined;
      try {
        const parsed =
          body.byteLength <= PARSED_AT_ONCE_BYTES_MAX
            ? parseUploadBody(body)
            : await whenNotBusy(() => engine.parseUpload(caller.teamId, body));
        return parsed.content === undefined
          ? parsed.body
          : { ...(parsed.body as object), content: new DocumentBytes(parsed.content) };
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        throw invalidBody(`the body is not valid JSON: ${error.message}`);
      }
    },
  );
}

/** For routes with a body of this kind; their other parts have no schema of their own to be validated by. */
function validatorFor(schema: z.ZodType, whenAbsent?: unknown): FastifySchemaCompiler<unknown> {
  return ({ schema: given, httpPart }) => {
    const applied = httpPart === "body" ? schema : (given as z.ZodType);
    return (input) => {
      const parsed = parseInput(applied, input ?? (httpPart === "body" ? whenAbsent : undefined));
      if (parsed.success) return { value: parsed.value };
      return { error: new DomainError("invalid", "Validation failed", { details: parsed.details }) };
    };
  };
}
