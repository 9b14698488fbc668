/** Visits the parts of a document in which `$ref` is a reference, and not a name or a literal. */
import { escapeSegment, isObject } from "./pointer.ts";

/** Keywords whose keys are names chosen by the author: a child "default" there is no keyword. */
const NAME_MAPS = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
  "paths",
  "webhooks",
  "pathItems",
  "responses",
  "callbacks",
  "content",
  "headers",
  "links",
  "schemas",
  "parameters",
  "requestBodies",
  "securitySchemes",
  "examples",
  "encoding",
  "variables",
  "scopes",
]);
/** Keywords whose values are data of the API, not parts of the description. */
const LITERALS = new Set(["example", "default", "enum", "const", "value", "required", "security", "mapping"]);

/** Calls `visit` with each object of the description and its pointer. Leaves out maps of names and literals. */
export function walkDocument(
  document: unknown,
  visit: (object: Record<string, unknown>, pointer: string) => void,
): void {
  const open: { value: unknown; pointer: string; keysAreNames: boolean }[] = [
    { value: document, pointer: "", keysAreNames: false },
  ];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, pointer, keysAreNames } = next;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries())
        open.push({ value: item, pointer: `${pointer}/${index}`, keysAreNames: false });
      continue;
    }
    if (!isObject(value)) continue;
    if (!keysAreNames) visit(value, pointer);
    for (const [key, child] of Object.entries(value)) {
      if (!keysAreNames && (LITERALS.has(key) || key.startsWith("x-"))) continue;
      // A schema's `examples` is a list of literals; elsewhere it maps names to Example Objects.
      if (!keysAreNames && key === "examples" && Array.isArray(child)) continue;
      open.push({
        value: child,
        pointer: `${pointer}/${escapeSegment(key)}`,
        keysAreNames: !keysAreNames && NAME_MAPS.has(key),
      });
    }
  }
}
