/** The fields of a request's body as Markdown lists, made of the schema that validates it. */
import * as z from "zod";

/** Fields whose values are described once, elsewhere on the page, by the heading there. */
const DESCRIBED_ELSEWHERE = { assertions: "Assertions", conditions: "Conditions", channel: "Channels" };

/** Levels of objects that are described; deeper ones are named only. */
const DEPTH_MAX = 4;

/** Returns a list of the fields that a caller may write; those that the service sets are left out. */
export function bodyFields(schema) {
  return linesOf(z.toJSONSchema(schema, { io: "input", unrepresentable: "any", reused: "inline" }), 0).join(
    "\n",
  );
}

function linesOf(schema, depth) {
  const variants = (schema.oneOf ?? schema.anyOf)?.filter(({ properties }) => properties);
  if (variants?.length === 1) return linesOf(variants[0], depth);
  if (variants)
    return variants.flatMap((variant) => [
      `${indent(depth)}- with ${constantsOf(variant)}:`,
      ...linesOf(withoutConstants(variant), depth + 1),
    ]);
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {})
    .filter(([, field]) => !field.readOnly)
    .flatMap(([name, field]) => {
      const isNamedOnly = name in DESCRIBED_ELSEWHERE;
      const facts = [
        isNamedOnly ? `see ${DESCRIBED_ELSEWHERE[name]}` : typeOf(field),
        ...(required.has(name) && field.default === undefined ? ["required"] : []),
        ...(field.default === undefined ? [] : [`default \`${JSON.stringify(field.default)}\``]),
      ];
      const line = `${indent(depth)}- \`${name}\`: ${facts.join(", ")}${field.description ? `. ${field.description}` : ""}`;
      const inner = innerObject(field);
      return isNamedOnly || !inner || depth >= DEPTH_MAX ? [line] : [line, ...linesOf(inner, depth + 1)];
    });
}

/** Returns the object, or the variants of one, that the field holds by itself or as items; undefined for plain values. */
function innerObject(field) {
  const options = (field.anyOf ?? field.oneOf ?? []).filter(({ type }) => type !== "null");
  if (options.length === 1) return innerObject(options[0]);
  if (options.length > 1)
    return options.every(({ properties }) => properties) ? { oneOf: options } : undefined;
  if (field.items) return innerObject(field.items);
  return field.properties ? field : undefined;
}

function typeOf(field) {
  const options = field.anyOf ?? field.oneOf;
  if (options) return [...new Set(options.map(typeOf))].join(" or ");
  if (field.const !== undefined) return `\`${JSON.stringify(field.const)}\``;
  if (field.enum) return field.enum.map((value) => `\`${value}\``).join(" | ");
  if (Array.isArray(field.type)) return field.type.map((type) => typeOf({ type })).join(" or ");
  if (field.type === "array")
    return `list${limits(field.minItems, field.maxItems)} of ${typeOf(field.items ?? {})}`;
  if (typeof field.additionalProperties === "object") return `map of ${typeOf(field.additionalProperties)}`;
  if (field.type === "string") return `text${limits(field.minLength, field.maxLength, " characters")}`;
  if (field.type === "integer" || field.type === "number")
    return `${field.type}${limits(field.minimum, field.maximum === Number.MAX_SAFE_INTEGER ? undefined : field.maximum)}`;
  return field.type ?? "any value";
}

function limits(min, max, unit = "") {
  if (min === undefined && max === undefined) return "";
  if (max === undefined) return min > 0 ? ` (${min}${unit} and more)` : "";
  return min === undefined ? ` (at most ${max}${unit})` : ` (${min}-${max}${unit})`;
}

function constantsOf({ properties = {} }) {
  const fixed = Object.entries(properties).filter(([, { const: value }]) => value !== undefined);
  return fixed.length === 0
    ? "these fields"
    : fixed.map(([name, { const: value }]) => `\`${name}\` \`${JSON.stringify(value)}\``).join(" and ");
}

function withoutConstants(variant) {
  const { properties = {} } = variant;
  const others = Object.entries(properties).filter(([, { const: value }]) => value === undefined);
  return { ...variant, properties: Object.fromEntries(others) };
}

function indent(depth) {
  return "  ".repeat(depth);
}
