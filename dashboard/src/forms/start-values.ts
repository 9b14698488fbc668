/** Values that a new part of a draft begins with. */
import type { Field } from "./field-model.ts";

/** Returns what a field begins with once it is there: what must be there and nothing else; texts are empty, to be filled. */
export function startOf(field: Field): unknown {
  if (field.preset !== undefined) return field.preset;
  switch (field.kind) {
    case "text":
      return "";
    case "switch":
      return false;
    case "choice":
      return field.values[0];
    case "constant":
      return field.value;
    case "group":
      return startOfAll(field.fields);
    case "variants": {
      const [first] = field.variants;
      return first && { [field.by]: first.value, ...startOfAll(first.fields) };
    }
    case "list":
      // A list that needs a text begins with one to be filled in, so that nobody has to find out how it is added.
      return field.isRequired && field.item.kind === "text" ? [""] : [];
    case "pairs":
      return {};
    // A number or any JSON: absent until somebody says which.
    case "number":
    case "json":
      return undefined;
  }
}

function startOfAll(fields: readonly (Field & { name: string })[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = field.isRequired ? startOf(field) : undefined;
      return value === undefined ? [] : [[field.name, value]];
    }),
  );
}
