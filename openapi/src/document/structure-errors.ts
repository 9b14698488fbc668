/** Converts the errors of a JSON schema validator to problems that a person can act on: one for each cause. */
import type { ErrorObject } from "ajv";
import { escapeSegment, isObject, valueAt } from "./pointer.ts";
import type { SpecProblem } from "./problem.ts";

/** Keywords whose errors only sum up others. */
const SUMMARIES = new Set(["oneOf", "anyOf", "allOf", "if", "not"]);

/** Returns the problems, each once. Summaries are kept only where no deeper error gives the reason. */
export function describeErrors(errors: readonly ErrorObject[], document: unknown): SpecProblem[] {
  const causes = errors.filter((error) => !SUMMARIES.has(error.keyword) && !isOtherBranch(error, document));
  const withCauses = pathsAndAncestors(causes);
  const summaries = errors.filter(
    (error) => SUMMARIES.has(error.keyword) && error.keyword !== "if" && !withCauses.has(error.instancePath),
  );
  const kept = [...causes.filter((error) => !isEcho(error, causes)), ...summaries];
  const problems = new Map<string, SpecProblem>();
  for (const error of kept) {
    const problem = describeError(error);
    problems.set(`${problem.pointer}\n${problem.message}`, problem);
  }
  return [...problems.values()];
}

/**
 * True for errors of the alternative that the author did not write, where a document may hold an object or a reference
 * to one.
 */
function isOtherBranch(error: ErrorObject, document: unknown): boolean {
  const isReferenceBranch = /\/(Reference|reference)(\/|$)/.test(error.schemaPath);
  const instance = valueAt(document, error.instancePath);
  const isReference = isObject(instance) && typeof instance.$ref === "string";
  if (isReferenceBranch) return !isReference;
  return isReference && ["required", "additionalProperties", "unevaluatedProperties"].includes(error.keyword);
}

function pathsAndAncestors(errors: readonly ErrorObject[]): Set<string> {
  const paths = new Set<string>();
  for (const { instancePath } of errors)
    for (let path = instancePath; !paths.has(path); path = path.slice(0, path.lastIndexOf("/"))) {
      paths.add(path);
      if (path === "") break;
    }
  return paths;
}

/** True for an unevaluated property whose own value failed, or whose object failed for another reason. */
function isEcho(error: ErrorObject, causes: readonly ErrorObject[]): boolean {
  if (error.keyword !== "unevaluatedProperties") return false;
  const property = `${error.instancePath}/${escapeSegment(String(error.params.unevaluatedProperty))}`;
  return causes.some(
    (other) =>
      other.keyword !== "unevaluatedProperties" &&
      (other.instancePath === error.instancePath ||
        other.instancePath === property ||
        other.instancePath.startsWith(`${property}/`)),
  );
}

function describeError(error: ErrorObject): SpecProblem {
  const { instancePath: pointer, params, message = "not valid" } = error;
  switch (error.keyword) {
    case "additionalProperties":
    case "unevaluatedProperties": {
      const name = String(params.additionalProperty ?? params.unevaluatedProperty);
      return { pointer: `${pointer}/${escapeSegment(name)}`, message: `unknown field "${name}"` };
    }
    case "required":
      return { pointer, message: `the field "${params.missingProperty}" is missing` };
    case "enum":
      return { pointer, message: `expected one of ${(params.allowedValues as unknown[]).join(", ")}` };
    case "const":
      return { pointer, message: `expected ${JSON.stringify(params.allowedValue)}` };
    case "format":
      return { pointer, message: `not a valid ${params.format}` };
    default:
      return { pointer, message };
  }
}
