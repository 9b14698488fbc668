/**
 * Requests that are generated from the service's own description (`/api/openapi.json`): bodies, queries and paths that are
 * valid, at the edge of each limit, and beyond it. Every address in them leads to the loopback interface.
 */
import fc from "fast-check";

/** The parts of a JSON schema that the generator knows; the rest of a schema is ignored. */
interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
  required?: string[];
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
}

interface Parameter {
  name: string;
  in: string;
  schema?: JsonSchema;
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: { content?: Record<string, { schema?: JsonSchema }> };
}

/** The service's description. */
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, JsonSchema> };
}

/** Values that some request may well hold, by the name of the field or path parameter. */
export type KnownValues = Record<string, readonly string[]>;

export interface GeneratedRequest {
  method: string;
  path: string;
  body: unknown;
}

/** Levels below which only the smallest values are generated. */
const LEVELS_MAX = 7;
/** Share of values that are odd instead of fitting: one in so many. */
const ODD_ONE_IN = 25;

const ODD_VALUES: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    "",
    " ",
    0,
    -1,
    1.5,
    7,
    60,
    1e308,
    -1e308,
    Number.MAX_SAFE_INTEGER + 2,
    true,
    [],
    {},
    [[[[[[]]]]]],
    "\0",
    "\ud800",
    "\u202e\u0007\u001b[31m",
    "💥".repeat(300),
    "x".repeat(20_000),
    "../../etc/passwd",
    "'; DROP TABLE checks; --",
    "NaN",
    "9999-99-99T99:99:99Z",
    "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
    "http://127.0.0.1:1/",
    Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${i}`, i])),
    Array.from({ length: 120 }, () => "x"),
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.double(),
);

/** Returns requests to any operation of the document that `isWanted` names. */
export function generatedRequests(
  document: ApiDocument,
  known: KnownValues,
  isWanted: (method: string, path: string) => boolean,
): fc.Arbitrary<GeneratedRequest> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => isWanted(method.toUpperCase(), path))
      .map(([method, operation]) => requestTo(document, known, { method, path, operation })),
  );
  return fc.oneof(...operations);
}

function requestTo(
  document: ApiDocument,
  known: KnownValues,
  { method, path, operation }: { method: string; path: string; operation: Operation },
): fc.Arbitrary<GeneratedRequest> {
  const values = new ValueGenerator(document, known);
  const parameters = operation.parameters ?? [];
  const inPath = parameters.filter((one) => one.in === "path").map(({ name }) => name);
  const inQuery = parameters.filter((one) => one.in === "query");
  const body = operation.requestBody?.content?.["application/json"]?.schema;
  return fc
    .record({
      path: fc.record(Object.fromEntries(inPath.map((name) => [name, values.pathPart(path, name)]))),
      query: fc.record(
        Object.fromEntries(inQuery.map(({ name, schema = {} }) => [name, values.of(schema, name)])),
        { requiredKeys: [] },
      ),
      body: body ? values.of(body) : fc.constant(undefined),
    })
    .map((parts) => ({
      method: method.toUpperCase(),
      path: filledPath(path, parts.path as Record<string, string>) + queryText(parts.query),
      body: parts.body,
    }));
}

function filledPath(path: string, parts: Record<string, string>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const part = (parts[name] ?? "x").toWellFormed();
    // By these a client names another path, however they are written.
    return part === "." || part === ".." ? "x" : encodeURIComponent(part);
  });
}

function queryText(query: Record<string, unknown>): string {
  const pairs = Object.entries(query).map(([name, value]) => {
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    return `${name}=${encodeURIComponent(text.toWellFormed().slice(0, 2_000))}`;
  });
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
}

/** Makes values for the schemas of one document. */
class ValueGenerator {
  readonly #document: ApiDocument;
  readonly #known: KnownValues;

  constructor(document: ApiDocument, known: KnownValues) {
    this.#document = document;
    this.#known = known;
  }

  /** Returns ids of the records that a path is about, and now and then something else. */
  pathPart(path: string, name: string): fc.Arbitrary<string> {
    const collection = path.split("/{")[0] ?? path;
    const ids = this.#known[name] ?? this.#known[collection] ?? [];
    const odd = fc.constantFrom("x", "chk_00000000000000000000000000", "%00", "..", "💥", "a".repeat(300));
    return ids.length > 0
      ? fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: odd })
      : odd;
  }

  /** Returns values of a schema. @param name the field's name, which decides for texts that only fit when they are known */
  of(schema: JsonSchema, name = "", level = 0): fc.Arbitrary<unknown> {
    const fitting = this.#fitting(schema, name, level);
    return fc.oneof(
      { weight: level === 0 ? 10 * ODD_ONE_IN : ODD_ONE_IN - 1, arbitrary: fitting },
      { weight: 1, arbitrary: ODD_VALUES },
    );
  }

  #fitting(schema: JsonSchema, name: string, level: number): fc.Arbitrary<unknown> {
    if (schema.$ref !== undefined) return this.#fitting(this.#resolved(schema.$ref), name, level);
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const options = schema.anyOf ?? schema.oneOf;
    if (options) return fc.oneof(...options.map((option) => this.of(option, name, level + 1)));
    if (schema.allOf) return this.#fitting(Object.assign({}, ...schema.allOf), name, level);
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
    switch (type) {
      case "string":
        return this.#text(schema, name);
      case "integer":
        return numbersOf(schema, 1);
      case "number":
        return numbersOf(schema, 0.5);
      case "boolean":
        return fc.boolean();
      case "null":
        return fc.constant(null);
      case "array":
        return this.#list(schema, name, level);
      case "object":
        return this.#object(schema, level);
      default:
        return ODD_VALUES;
    }
  }

  #resolved(reference: string): JsonSchema {
    return this.#document.components?.schemas?.[reference.split("/").at(-1) ?? ""] ?? {};
  }

  #text({ minLength = 0, maxLength = 200 }: JsonSchema, name: string): fc.Arbitrary<string> {
    const known = this.#known[name];
    const atLimits = fc
      .constantFrom(minLength, Math.max(0, minLength - 1), Math.min(maxLength, 300_000))
      .chain((length) => fc.constantFrom("x", "é", " ").map((letter) => letter.repeat(length)));
    const beyond = fc.constant("x".repeat(Math.min(maxLength + 1, 600_000)));
    const any = fc.string({ unit: "grapheme", minLength: Math.min(minLength, 50), maxLength: 50 });
    if (!known) return fc.oneof({ weight: 6, arbitrary: any }, { weight: 2, arbitrary: atLimits }, beyond);
    return fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(...known) },
      { weight: 1, arbitrary: any },
      { weight: 1, arbitrary: atLimits },
    );
  }

  #list({ items = {}, minItems = 0, maxItems = 20 }: JsonSchema, name: string, level: number) {
    if (level > LEVELS_MAX) return fc.constant([]);
    const item = this.of(items, name, level + 1);
    const few = fc.array(item, { minLength: Math.min(minItems, 3), maxLength: 3 });
    const atLimit = fc
      .tuple(item, fc.constantFrom(maxItems, maxItems + 1))
      .map(([one, length]) => Array.from({ length: Math.min(length, 2_000) }, () => one));
    return fc.oneof({ weight: 12, arbitrary: few }, { weight: 1, arbitrary: atLimit });
  }

  #object({ properties = {}, required = [], additionalProperties }: JsonSchema, level: number) {
    const fields = Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, this.of(schema, name, level + 1)]),
    );
    const declared = fc.record(fields, { requiredKeys: level > LEVELS_MAX ? [] : required });
    if (!additionalProperties || level > LEVELS_MAX) return declared;
    const value = additionalProperties === true ? ODD_VALUES : this.of(additionalProperties, "", level + 1);
    const others = fc.dictionary(fc.string({ maxLength: 30 }), value, { maxKeys: 5 });
    return fc.tuple(declared, others).map(([own, other]) => ({ ...other, ...own }));
  }
}

/** Returns numbers within the bounds, at them and one step beyond. */
function numbersOf(schema: JsonSchema, step: number): fc.Arbitrary<number> {
  const { minimum = schema.exclusiveMinimum ?? -1_000, maximum = 1_000_000 } = schema;
  const largest = Math.min(maximum, Number.MAX_SAFE_INTEGER);
  const smallest = Math.max(minimum, -Number.MAX_SAFE_INTEGER);
  const within = fc.integer({
    min: Math.ceil(smallest),
    max: Math.max(Math.ceil(smallest), Math.floor(largest)),
  });
  return fc.oneof(
    { weight: 4, arbitrary: within },
    fc.constantFrom(smallest, largest, smallest - step, largest + step),
  );
}
