/** The fields of records that have few of them. */
import type * as z from "zod";
import { fieldOf, type NamedField } from "./field-model.ts";

/** Returns the fields of a body that a person may write, all of them to be shown at once. */
export function shownFields(schema: z.ZodType): NamedField[] {
  const form = fieldOf(schema);
  return form.kind === "group" ? form.fields.map((field) => ({ ...field, isRequired: true })) : [];
}

/** Returns the part of a stored record that a form of these fields begins with; what is null is left out. */
export function draftOfRecord(
  fields: readonly NamedField[],
  record: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap(({ name }) =>
      record[name] === undefined || record[name] === null ? [] : [[name, record[name]]],
    ),
  );
}
