/** Schemas of objects that refuse unknown fields by name, so that a typo never becomes a silent default. */
import * as z from "zod";
import { nearestName } from "./nearest.ts";
import { excerpt } from "./text.ts";

/** Number of unknown fields of one object that a message explains; the others are counted. */
const UNKNOWN_FIELDS_EXPLAINED_MAX = 20;

/**
 * Returns a `z.strictObject` whose message names each unknown field and the nearest known one, one line per field.
 * @param hints texts that replace the nearest name for fields that belong elsewhere, by field name
 */
export function closedObject<Shape extends z.ZodRawShape>(shape: Shape, hints: Record<string, string> = {}) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? unknownFieldsMessage(issue.keys as string[], known, hints)
        : undefined,
  });
}

/**
 * Returns one line per unknown field, e.g. `unknown field "timeout"; did you mean "timeoutMs"?`. At most 20 are explained;
 * a last line counts the others.
 */
function unknownFieldsMessage(
  unknown: readonly string[],
  known: readonly string[],
  hints: Record<string, string> = {},
): string {
  const lines = unknown
    .slice(0, UNKNOWN_FIELDS_EXPLAINED_MAX)
    .map((name) => `unknown field "${excerpt(name).replaceAll("\n", " ")}"; ${hintFor(name, known, hints)}`);
  const others = unknown.length - lines.length;
  return [...lines, ...(others > 0 ? [`and ${others} more unknown fields`] : [])].join("\n");
}

function hintFor(name: string, known: readonly string[], hints: Record<string, string>): string {
  if (Object.hasOwn(hints, name)) return String(hints[name]);
  const nearest = nearestName(name, known);
  return nearest ? `did you mean "${nearest}"?` : `known fields: ${known.join(", ")}`;
}

/** Schema of a field that the service sets. Requests may contain it, so that a record can be sent back as it was read. */
export const readOnlyField = z
  .unknown()
  .optional()
  .meta({ readOnly: true, description: "Read-only; ignored." });

/** A shape in which each field that had a default is optional: an absent field stays absent. */
export type WithoutDefaults<Shape extends z.ZodRawShape> = {
  [Field in keyof Shape]: Shape[Field] extends z.ZodDefault<infer Inner>
    ? z.ZodOptional<Inner>
    : Shape[Field];
};

/** Returns the shape with each field that has a default made optional: an absent field stays absent. */
export function withoutDefaults<Shape extends z.ZodRawShape>(shape: Shape): WithoutDefaults<Shape> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [
      name,
      field instanceof z.ZodDefault ? z.optional(field.unwrap() as z.ZodType) : field,
    ]),
  ) as WithoutDefaults<Shape>;
}

/** A shape in which each field is optional and nullable. */
export type NullishFields<Shape extends z.ZodRawShape> = {
  [Field in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[Field]>>;
};

/** Returns the shape with each field made optional and nullable. */
export function nullishFields<Shape extends z.ZodRawShape>(shape: Shape): NullishFields<Shape> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, z.optional(z.nullable(field))]),
  ) as NullishFields<Shape>;
}
