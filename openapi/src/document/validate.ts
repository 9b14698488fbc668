/** Validates documents as OpenAPI 3.0 or 3.1. */
import { Validator } from "@seriousme/openapi-schema-validator";
import type { ErrorObject } from "ajv";
import { isObject } from "./pointer.ts";
import type { SpecProblem } from "./problem.ts";
import { referenceProblems } from "./references.ts";
import { schemaObjectProblems } from "./schema-objects.ts";
import { describeErrors } from "./structure-errors.ts";

/** The supported lines of OpenAPI. */
export type OpenApiLine = "3.0" | "3.1";

/** Returns the line that a document belongs to, or the reason why the document can't be used. */
export function openApiLine(document: unknown): { line: OpenApiLine } | { problem: SpecProblem } {
  const supported = "supported are OpenAPI 3.0 and 3.1";
  if (!isObject(document))
    return { problem: { pointer: "", message: `not an OpenAPI document: expected an object; ${supported}` } };
  if (document.swagger !== undefined)
    return {
      problem: {
        pointer: "/swagger",
        message: `Swagger ${String(document.swagger).slice(0, 20)} is not supported; ${supported}`,
      },
    };
  if (document.openapi === undefined)
    return {
      problem: {
        pointer: "",
        message: `not an OpenAPI document: the field "openapi" is missing; ${supported}`,
      },
    };
  const found = typeof document.openapi === "string" ? /^(3\.[01])\.\d+(-.+)?$/.exec(document.openapi) : null;
  if (!found)
    return {
      problem: {
        pointer: "/openapi",
        message: `OpenAPI ${JSON.stringify(document.openapi).slice(0, 22)} is not supported; ${supported}`,
      },
    };
  return { line: found[1] as OpenApiLine };
}

/**
 * Returns all problems of a document of this line, in structure, schemas and references; empty when the document is
 * valid.
 */
export function documentProblems(document: Record<string, unknown>, line: OpenApiLine): SpecProblem[] {
  const structure = structureValidator(line);
  const problems = structure(document) ? [] : describeErrors(structure.errors ?? [], document);
  if (line === "3.1") problems.push(...schemaObjectProblems(document));
  problems.push(...referenceProblems(document));
  return problems;
}

/** The library's types leave out the method that its `validate` uses: that one would check the references once more. */
declare module "@seriousme/openapi-schema-validator" {
  interface Validator {
    getAjvValidator(version: OpenApiLine): StructureValidator;
  }
}

/** A compiled schema; `errors` are those of the last document that did not satisfy it. */
interface StructureValidator {
  (document: unknown): boolean;
  errors?: ErrorObject[] | null;
}

const validators = new Map<OpenApiLine, StructureValidator>();

/** Returns the validator of the line's published JSON schema, compiled at the first call. */
function structureValidator(line: OpenApiLine): StructureValidator {
  let validator = validators.get(line);
  if (!validator) {
    validator = new Validator({ allErrors: true, logger: false }).getAjvValidator(line);
    validators.set(line, validator);
  }
  return validator;
}
