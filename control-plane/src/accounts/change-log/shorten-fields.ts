/** Bounds the size of an entry of the change log. Pure. */
import type { ChangedField } from "@svc/contract";

/** Longest value that an entry keeps, in characters of its JSON. */
const VALUE_LENGTH_MAX = 4_096;
/** Characters that all values of an entry have together, about; further ones are kept as nothing but their beginning. */
const ENTRY_LENGTH_MAX = 32 * 1024;
/** Characters that are kept of a value that would make an entry too long. */
const BEGINNING_LENGTH = 40;
/** Fields that an entry names. */
const FIELDS_MAX = 200;
/** Longest name of a field; the last part of a name may be a header that somebody chose. */
const FIELD_NAME_LENGTH_MAX = 300;

/**
 * Returns the fields with values that are too long cut to their beginnings, as text, and marked `truncated`. Fields beyond
 * the 200th are left out.
 */
export function shortenFields(fields: readonly ChangedField[]): ChangedField[] {
  let charactersLeft = ENTRY_LENGTH_MAX;
  return fields.slice(0, FIELDS_MAX).map((changed) => {
    const lengthMax = charactersLeft > 0 ? VALUE_LENGTH_MAX : BEGINNING_LENGTH;
    const field = changed.field.slice(0, FIELD_NAME_LENGTH_MAX);
    const oldText = textOf(changed.oldValue);
    const newText = textOf(changed.newValue);
    charactersLeft -= Math.min(oldText.length, lengthMax) + Math.min(newText.length, lengthMax);
    if (oldText.length <= lengthMax && newText.length <= lengthMax) return { ...changed, field };
    return {
      ...changed,
      field,
      oldValue: oldText.length > lengthMax ? oldText.slice(0, lengthMax) : changed.oldValue,
      newValue: newText.length > lengthMax ? newText.slice(0, lengthMax) : changed.newValue,
      truncated: true as const,
    };
  });
}

/** Returns a text as it is, any other value as JSON. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
