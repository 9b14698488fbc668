/** Finds the one operation in what was pasted: by itself, under its method, under its path, or in a document. Pure. */
import { isObject, type JsonObject, References } from "./samples.ts";

/** An operation with what stands around it. */
export interface PastedOperation {
  operation: JsonObject;
  /** Upper case; undefined: the text does not say. */
  method: string | undefined;
  /** Template such as `/pets/{id}`; undefined: the text does not say. */
  path: string | undefined;
  /** The object that holds the operations of the path; empty when there is none. */
  pathItem: JsonObject;
  /** The whole document; empty when only a part was pasted. */
  document: JsonObject;
  root: References;
}

/** Names of the operations of a path, as documents write them. */
const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
/** Fields of an operation, one of which it has at least. */
const OPERATION_FIELDS = ["responses", "requestBody", "operationId"];
/** Operations that a sentence names. */
const NAMED_MAX = 5;

/** Returns the operation, or a sentence when there is none or more than one. */
export function findOperation(value: unknown): PastedOperation | { problem: string } {
  if (!isObject(value)) return { problem: "This is no operation: expected an object with responses." };
  const root = new References(value);
  const document = isObject(value.paths) ? value : {};
  const found: PastedOperation[] = [];
  const add = (pathItem: JsonObject, path: string | undefined) => {
    for (const method of METHODS)
      if (Object.hasOwn(pathItem, method) && isObject(pathItem[method]))
        found.push({
          operation: pathItem[method],
          method: method.toUpperCase(),
          path,
          pathItem,
          document,
          root,
        });
  };
  add(value, undefined);
  for (const [path, pathItem] of Object.entries(isObject(value.paths) ? value.paths : value))
    if (path.startsWith("/") && isObject(pathItem)) add(pathItem, path);
  if (found.length === 0 && OPERATION_FIELDS.some((field) => Object.hasOwn(value, field)))
    found.push({ operation: value, method: undefined, path: undefined, pathItem: {}, document, root });
  const [operation, ...others] = found;
  if (!operation)
    return {
      problem:
        "There is no operation in it: paste an object with responses, alone or under its method and path.",
    };
  if (others.length > 0) return { problem: tooMany(found) };
  return operation;
}

function tooMany(found: readonly PastedOperation[]): string {
  const names = found.slice(0, NAMED_MAX).map(({ method, path }) => [method, path].filter(Boolean).join(" "));
  const rest = found.length > NAMED_MAX ? `, and ${found.length - NAMED_MAX} more` : "";
  return `There are ${found.length} operations in it (${names.join(", ")}${rest}): paste one of them. To check all, add the document as an API spec.`;
}
