/** Judges response headers: those that are required must be there, all must have the declared form. */
import type { ValidateFunction } from "ajv";
import { isObject } from "../document/pointer.ts";
import { describeFailures } from "./failures.ts";

/** A header that the document describes. */
export interface DeclaredHeader {
  name: string;
  required: boolean;
  /** Absent when the header has no schema. */
  validator?: ValidateFunction;
  schema?: unknown;
  isJson: boolean;
}

/** Returns one line for each problem of the headers. Names in `received` are in lower case. */
export function headerProblems(
  received: Readonly<Record<string, string>>,
  declared: readonly DeclaredHeader[],
): string[] {
  return declared.flatMap(({ name, required, validator, schema, isJson }) => {
    const lowerName = name.toLowerCase();
    const text = Object.hasOwn(received, lowerName) ? received[lowerName] : undefined;
    if (text === undefined) return required ? [`header ${name} is missing`] : [];
    if (!validator) return [];
    let value: unknown;
    try {
      value = isJson ? JSON.parse(text) : headerValue(text, schema);
    } catch {
      return [`header ${name} is not valid JSON`];
    }
    return validator(value) ? [] : describeFailures(validator.errors ?? [], `header ${name}`);
  });
}

/** Reads a header in OpenAPI's style "simple" as a value of its schema's type. */
function headerValue(text: string, schema: unknown): unknown {
  const types = isObject(schema) ? [schema.type].flat() : [];
  if (types.includes("array")) {
    const items = isObject(schema) ? schema.items : undefined;
    return text === "" ? [] : text.split(",").map((part) => headerValue(part.trim(), items));
  }
  if (types.includes("object")) {
    const parts = text.split(",").map((part) => part.trim());
    const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
    const pairs = parts.every((part) => part.includes("="))
      ? parts.map((part) => part.split(/=(.*)/s) as [string, string])
      : parts.flatMap((part, index) =>
          index % 2 === 0 ? [[part, parts[index + 1] ?? ""] as [string, string]] : [],
        );
    return Object.fromEntries(pairs.map(([key, part]) => [key, headerValue(part, properties[key])]));
  }
  const isNumeric = types.includes("number") || types.includes("integer");
  if (isNumeric && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim())) return Number(text);
  if (types.includes("boolean") && /^(true|false)$/.test(text)) return text === "true";
  return text;
}
