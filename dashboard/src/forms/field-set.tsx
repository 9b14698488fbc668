/** A group of fields under a heading, and lists of values that are drawn as one. */
import type { ReactNode } from "react";
import { wordOf } from "./choices.ts";
import type { FieldProps } from "./field-model.ts";
import { FieldNotes, useField } from "./form.tsx";
import { lowerFirst } from "./label.ts";

/**
 * Shows fields under a heading.
 * @param props.remove removes the whole group; absent: it can't be removed
 */
export function FieldSet({
  label,
  id,
  notes,
  remove,
  children,
}: {
  label: string;
  id: string;
  notes?: ReactNode;
  remove?: (() => void) | undefined;
  children: ReactNode;
}) {
  return (
    <fieldset id={id} tabIndex={-1}>
      <legend>{label}</legend>
      {notes}
      <div className="fields">{children}</div>
      {remove && (
        <button type="button" className="quiet-button" onClick={remove}>
          Remove {lowerFirst(label)}
        </button>
      )}
    </fieldset>
  );
}

/** A list of values that are chosen from a few, none twice. */
export function SetField({ field, path, label }: FieldProps<"list">) {
  const bound = useField(path, field.hint);
  const chosen = Array.isArray(bound.value) ? (bound.value as unknown[]) : [];
  const values = field.item.kind === "choice" ? field.item.values : [];
  return (
    <FieldSet label={label} id={bound.input.id} notes={<FieldNotes bound={bound} hint={field.hint} />}>
      {values.map((value) => (
        <label key={value} className="switch">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ target }) =>
              bound.set(target.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
            }
          />{" "}
          {wordOf(value)}
        </label>
      ))}
    </FieldSet>
  );
}
