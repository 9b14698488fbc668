import { closedObject, DomainError, parseInput } from "@svc/contract";
import type { FastifySchemaCompiler } from "fastify";
import * as z from "zod";

/**
 * Validates body, query and path by zod, with errors in the envelope's form. An absent body counts as undefined, not
 * null.
 */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema: declared, httpPart }) => {
  const isQuery = httpPart === "querystring" && declared instanceof z.ZodObject;
  const schema = isQuery ? closedQuery(declared) : declared;
  return (input) => {
    const parsed = parseInput(schema, input ?? undefined);
    if (parsed.success) return { value: parsed.value };
    return { error: new DomainError("invalid", "Validation failed", { details: parsed.details }) };
  };
};

/** Returns the schema of a query that refuses unknown parameters: a misspelt one must not become a silent default. */
function closedQuery(declared: z.ZodObject): z.ZodObject {
  const { catchall, error } = closedObject(declared.shape)._zod.def;
  return declared.clone({ ...declared._zod.def, catchall, error });
}
