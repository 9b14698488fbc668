/**
 * Converts OpenAPI's Schema Objects to JSON Schema as the validator reads it: draft 7 for 3.0, 2020-12 for 3.1. Schemas are
 * converted as those of responses: write-only properties are not required.
 */
import { isObject } from "../document/pointer.ts";
import type { ConversionContext, JsonSchema } from "./conversion-context.ts";
import { discriminate } from "./discriminator.ts";

/** Keywords that hold one schema; LISTS hold a list of schemas, MAPS schemas by name. */
const SINGLE = new Set([
  "not",
  "if",
  "then",
  "else",
  "items",
  "contains",
  "additionalProperties",
  "propertyNames",
  "unevaluatedProperties",
  "unevaluatedItems",
]);
const LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const MAPS = new Set(["properties", "patternProperties", "dependentSchemas"]);
/** Keywords that constrain values and hold no schema. */
const PLAIN = new Set([
  "type",
  "enum",
  "const",
  "multipleOf",
  "maximum",
  "minimum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "maxContains",
  "minContains",
  "maxProperties",
  "minProperties",
  "required",
  "dependentRequired",
  "format",
]);

/**
 * Returns a copy of the schema with only the keywords that decide about values. Ids and anchors are gone, references
 * name converted schemas.
 */
export function convertSchema(schema: unknown, context: ConversionContext): JsonSchema {
  if (typeof schema === "boolean") return schema;
  if (!isObject(schema)) return true;
  const reference = schema.$ref ?? (context.line === "3.1" ? schema.$dynamicRef : undefined);
  if (typeof reference === "string" && context.line === "3.0") {
    // 3.0 ignores keywords beside a reference. `nullable` is honoured nevertheless, since whoever wrote it meant it.
    const target = referenceTo(reference, context);
    return schema.nullable === true ? { anyOf: [target, { type: "null" }] } : target;
  }
  const converted: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (SINGLE.has(keyword)) converted[keyword] = convertSchema(value, context);
    else if (LISTS.has(keyword) && Array.isArray(value))
      converted[keyword] = value.map((item) => convertSchema(item, context));
    else if (MAPS.has(keyword) && isObject(value)) converted[keyword] = convertMap(value, context);
    else if (PLAIN.has(keyword)) converted[keyword] = value;
  }
  if (typeof reference === "string") Object.assign(converted, referenceTo(reference, context));
  if (!isCompilable(converted.pattern)) delete converted.pattern;
  dropUncompilablePatterns(converted);
  if (context.line === "3.0") fromDraft4(converted, schema);
  dropWriteOnlyRequired(converted, schema, context);
  discriminate(converted, schema, context);
  return context.line === "3.0" && schema.nullable === true ? nullable(converted) : converted;
}

function referenceTo(reference: string, context: ConversionContext): Record<string, unknown> {
  const id = context.resolve(reference);
  return id === undefined ? {} : { $ref: id };
}

function convertMap(map: Record<string, unknown>, context: ConversionContext): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name, convertSchema(value, context)]),
  );
}

/** Converts bounds of 3.0, which are those of draft 4: `exclusiveMinimum: true` makes `minimum` exclusive. */
function fromDraft4(converted: Record<string, unknown>, schema: Record<string, unknown>): void {
  for (const [exclusive, inclusive] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (typeof schema[exclusive] !== "boolean") continue;
    delete converted[exclusive];
    if (schema[exclusive] && typeof schema[inclusive] === "number") {
      converted[exclusive] = schema[inclusive];
      delete converted[inclusive];
    }
  }
}

function nullable(converted: Record<string, unknown>): JsonSchema {
  const isSimple = !["allOf", "anyOf", "oneOf", "not", "$ref", "if"].some((keyword) => keyword in converted);
  if (!isSimple || typeof converted.type !== "string") return { anyOf: [converted, { type: "null" }] };
  const values = converted.enum;
  return {
    ...converted,
    type: [converted.type, "null"],
    ...(Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}),
  };
}

/**
 * False for a pattern that JavaScript can't read. Such a pattern is ignored: rejecting every response for it would
 * blame the target.
 */
function isCompilable(pattern: unknown): boolean {
  if (pattern === undefined) return true;
  try {
    new RegExp(String(pattern));
    return typeof pattern === "string";
  } catch {
    return false;
  }
}

function dropUncompilablePatterns(converted: Record<string, unknown>): void {
  const patterns = converted.patternProperties;
  if (!isObject(patterns)) return;
  converted.patternProperties = Object.fromEntries(
    Object.entries(patterns).filter(([pattern]) => isCompilable(pattern)),
  );
}

function dropWriteOnlyRequired(
  converted: Record<string, unknown>,
  schema: Record<string, unknown>,
  context: ConversionContext,
): void {
  if (!Array.isArray(converted.required) || !isObject(schema.properties)) return;
  const properties = schema.properties;
  converted.required = converted.required.filter((name) => {
    const property = Object.hasOwn(properties, String(name)) ? properties[String(name)] : undefined;
    if (!isObject(property)) return true;
    const target = typeof property.$ref === "string" ? context.lookUp(property.$ref) : undefined;
    return property.writeOnly !== true && target?.writeOnly !== true;
  });
  // Draft 4, on which 3.0 is based, forbids an empty list; to later drafts it means nothing.
  if ((converted.required as unknown[]).length === 0) delete converted.required;
}
