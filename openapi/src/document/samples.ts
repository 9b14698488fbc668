/** Sample values that a document itself suggests: examples, defaults, the first of an enumeration. Nothing is invented. */
import { isObject } from "./pointer.ts";
import type { References } from "./references.ts";

/** Returns the suggested value of a Parameter or Media Type Object; undefined when there is none. */
export function sampleOf(holder: Record<string, unknown>, references: References): unknown {
  if (holder.example !== undefined) return holder.example;
  if (isObject(holder.examples))
    for (const example of Object.values(holder.examples)) {
      const resolved = dereferenced(example, references);
      if (isObject(resolved) && resolved.value !== undefined) return resolved.value;
    }
  return schemaSample(holder.schema, references);
}

function schemaSample(schema: unknown, references: References): unknown {
  const resolved = dereferenced(schema, references);
  if (!isObject(resolved)) return undefined;
  if (resolved.example !== undefined) return resolved.example;
  if (Array.isArray(resolved.examples) && resolved.examples.length > 0) return resolved.examples[0];
  if (resolved.default !== undefined) return resolved.default;
  if (resolved.const !== undefined) return resolved.const;
  if (Array.isArray(resolved.enum) && resolved.enum.length > 0)
    return resolved.enum.find((value) => value !== null);
  if (Array.isArray(resolved.allOf) && resolved.allOf.length === 1)
    return schemaSample(resolved.allOf[0], references);
  if (resolved.items !== undefined && resolved.type === "array") {
    const item = schemaSample(resolved.items, references);
    return item === undefined ? undefined : [item];
  }
  return undefined;
}

/** Returns the value, or its target when it is a Reference Object; undefined when that leads nowhere. */
export function dereferenced(value: unknown, references: References): unknown {
  if (!isObject(value) || typeof value.$ref !== "string") return value;
  const target = references.targetOf(value.$ref);
  return target === undefined ? undefined : references.resolve(target)?.value;
}
