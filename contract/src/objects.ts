/** Objects that refuse unknown fields by name, so that a typo never becomes a silent default. */
import { z } from "zod";
import { nearestName } from "./nearest.ts";

/** Like z.strictObject; the message names each unknown field and the nearest known one. */
export function closedObject<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? unknownFieldsMessage(issue.keys as string[], known) : undefined,
  });
}

/** One sentence per unknown field, e.g. `unknown field "timeout"; did you mean "timeoutMs"?` */
export function unknownFieldsMessage(unknown: readonly string[], known: readonly string[]): string {
  return unknown
    .map((name) => {
      const nearest = nearestName(name, known);
      return nearest
        ? `unknown field "${name}"; did you mean "${nearest}"?`
        : `unknown field "${name}"; known fields: ${known.join(", ")}`;
    })
    .join("; ");
}

/** A field of the record that the service sets: accepted in a request and ignored, so that what was read can be put back. */
export const readOnlyField = z
  .unknown()
  .optional()
  .meta({ readOnly: true, description: "Read-only; ignored." });
