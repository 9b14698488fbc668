/** Sample values that a text itself suggests. Pure; steps into schemas and references are bounded. */

/** An object of JSON. */
export type JsonObject = Record<string, unknown>;

/** True for an object that is no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Deepest schema within a schema, and most properties of one object, that a sample is made of. */
const DEPTH_MAX = 8;
const PROPERTIES_MAX = 100;
/** References that are followed one after the other. */
const REFERENCES_MAX = 10;

/** The value that was pasted, in which references are looked up. */
export class References {
  readonly #root: unknown;

  constructor(root: unknown) {
    this.#root = root;
  }

  /** Returns the value, or that to which it refers; undefined when that is not there. */
  follow(value: unknown): unknown {
    let followed = value;
    for (let step = 0; step < REFERENCES_MAX; step++) {
      if (!isObject(followed) || typeof followed.$ref !== "string") return followed;
      followed = this.#at(followed.$ref);
    }
    return undefined;
  }

  #at(reference: string): unknown {
    if (!reference.startsWith("#/")) return undefined;
    let value = this.#root;
    for (const part of reference.slice(2).split("/")) {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
      value = value[key];
    }
    return value;
  }
}

/** Returns the suggested value of a parameter, or of a body of one kind; undefined when there is none. */
export function sampleOf(holder: JsonObject, root: References): unknown {
  if (holder.example !== undefined) return holder.example;
  if (isObject(holder.examples))
    for (const one of Object.values(holder.examples)) {
      const example = root.follow(one);
      if (isObject(example) && example.value !== undefined) return example.value;
    }
  return schemaSample(holder.schema, root, 0);
}

function schemaSample(given: unknown, root: References, depth: number): unknown {
  const schema = root.follow(given);
  if (!isObject(schema) || depth > DEPTH_MAX) return undefined;
  if (schema.example !== undefined) return schema.example;
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum.find((value) => value !== null);
  if (Array.isArray(schema.allOf) && schema.allOf.length === 1)
    return schemaSample(schema.allOf[0], root, depth + 1);
  if (schema.items !== undefined) {
    const item = schemaSample(schema.items, root, depth + 1);
    return item === undefined ? undefined : [item];
  }
  return isObject(schema.properties)
    ? objectSample({ ...schema, properties: schema.properties }, root, depth)
    : undefined;
}

/** Returns an object of the properties that have a sample, when those that it must have are among them. */
function objectSample(
  { properties, required }: JsonObject & { properties: JsonObject },
  root: References,
  depth: number,
): JsonObject | undefined {
  const sample: JsonObject = {};
  for (const [name, schema] of Object.entries(properties).slice(0, PROPERTIES_MAX)) {
    const value = schemaSample(schema, root, depth + 1);
    if (value !== undefined) Object.defineProperty(sample, name, { value, enumerable: true });
  }
  const names = Array.isArray(required) ? required : [];
  const isWhole = names.every((name) => typeof name === "string" && Object.hasOwn(sample, name));
  return isWhole && Object.keys(sample).length > 0 ? sample : undefined;
}
