/** Fields of a notice that need more than their schema says. */
import { createContext, useContext } from "react";
import { FieldNotes, useField, type WidgetProps } from "../../forms/form.tsx";
import { Text } from "../../ui/text.tsx";

/** Names of the components of the notice's page. */
export const ComponentsContext = createContext<readonly string[]>([]);

/** Shows the components of the page, to choose those that the notice concerns. */
export function ComponentsField({ field, path }: WidgetProps) {
  const bound = useField(path, field.hint);
  const names = useContext(ComponentsContext);
  const chosen = Array.isArray(bound.value) ? (bound.value as string[]) : [];
  return (
    <fieldset id={bound.input.id} tabIndex={-1} aria-describedby={bound.input["aria-describedby"]}>
      <legend>Components</legend>
      <FieldNotes bound={bound} hint={field.hint} />
      {names.length === 0 && <p className="hint">The page has none.</p>}
      <div className="choices">
        {names.map((name) => (
          <label key={name} className="switch">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={({ target }) =>
                bound.set(target.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
              }
            />{" "}
            <Text>{name}</Text>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Shows an instant as date and time of the day in UTC, in which status pages tell them. */
export function InstantField({ field, path, label }: WidgetProps) {
  const bound = useField(path, field.hint);
  const value = typeof bound.value === "string" ? bound.value.slice(0, 16) : "";
  return (
    <div className="field">
      <label htmlFor={bound.input.id}>{label} (UTC)</label>
      <input
        {...bound.input}
        type="datetime-local"
        value={value}
        onChange={({ target }) => bound.set(target.value === "" ? undefined : `${target.value}:00Z`)}
      />
      <FieldNotes bound={bound} hint={field.hint} />
    </div>
  );
}
