/** Fields of times in a zone, and of zones. */
import { FieldNotes, useField, useForm, type WidgetProps } from "./form.tsx";
import { valueAt } from "./paths.ts";

/** Shows an instant as date and time of the day in the window's zone. */
export function InstantField({ field, path, label }: WidgetProps) {
  const bound = useField(path, undefined);
  const { draft } = useForm();
  const zone = valueAt(draft, ["timezone"]);
  const value = typeof bound.value === "string" ? bound.value : "";
  const isLocal = value === "" || /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(value);
  return (
    <div className="field">
      <label htmlFor={bound.input.id}>{label}</label>
      <input
        {...bound.input}
        type={isLocal ? "datetime-local" : "text"}
        value={value}
        onChange={({ target }) => bound.set(target.value)}
      />
      <FieldNotes bound={bound} hint={undefined} />
      <span className="hint">
        In the time zone {typeof zone === "string" ? zone : "UTC"}
        {field.isRequired ? "" : "; may be left out"}.
      </span>
    </div>
  );
}

/** Shows the names of time zones to choose from; any other may be written. */
export function ZoneField({ path, label }: WidgetProps) {
  const bound = useField(path, undefined);
  const list = `${bound.input.id}-zones`;
  return (
    <div className="field">
      <label htmlFor={bound.input.id}>{label}</label>
      <input
        {...bound.input}
        type="text"
        list={list}
        autoComplete="off"
        spellCheck={false}
        value={typeof bound.value === "string" ? bound.value : ""}
        onChange={({ target }) => bound.set(target.value)}
      />
      <datalist id={list}>
        {Intl.supportedValuesOf("timeZone").map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <FieldNotes bound={bound} hint={undefined} />
    </div>
  );
}
