/**
 * Validates the Schema Objects of OpenAPI 3.1 by JSON Schema 2020-12, which the published schema of documents leaves
 * open.
 */
import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";
import { isObject } from "./pointer.ts";
import type { SpecProblem } from "./problem.ts";
import { describeErrors } from "./structure-errors.ts";
import { walkDocument } from "./walk.ts";

const addFormats = addFormatsModule.default;
const META_SCHEMA = "https://json-schema.org/draft/2020-12/schema";
/** Objects of the description that hold a schema in their field `schema`. */
const COMPONENT_SCHEMA = /^\/components\/schemas\/[^/]+$/;

/** Returns the problems of the schemas of a 3.1 document. */
export function schemaObjectProblems(document: Record<string, unknown>): SpecProblem[] {
  const validate = metaValidator();
  const problems: SpecProblem[] = [];
  const check = (schema: unknown, pointer: string): void => {
    if (!isObject(schema) || validate(schema)) return;
    for (const problem of describeErrors(validate.errors ?? [], schema))
      problems.push({ ...problem, pointer: pointer + problem.pointer });
  };
  walkDocument(document, (object, pointer) => {
    if (COMPONENT_SCHEMA.test(pointer)) check(object, pointer);
    // A property called "schema" inside a schema is checked with the schema that holds it.
    else if (isObject(object.schema) && !/\/(properties|schema|schemas|\$defs)\//.test(pointer))
      check(object.schema, `${pointer}/schema`);
  });
  return problems;
}

let compiled: ValidateFunction | undefined;

function metaValidator(): ValidateFunction {
  if (!compiled) {
    const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false });
    addFormats(ajv);
    compiled = ajv.getSchema(META_SCHEMA);
    if (!compiled) throw new Error("the JSON schema library lacks its meta-schema");
  }
  return compiled;
}
