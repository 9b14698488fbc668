/** Fields of one value: texts, numbers, switches, choices, and any JSON. */
import { useState } from "react";
import { ABSENT, wordOf } from "./choices.ts";
import type { FieldProps } from "./field-model.ts";
import { FieldNotes, useField } from "./form.tsx";
import { jsonOfText, textOfJson } from "./json-text.ts";
import { labelOf } from "./label.ts";

/** A text, on one line or several. */
export function TextField({ field, path, label }: FieldProps<"text">) {
  const bound = useField(path, field.hint);
  const text = typeof bound.value === "string" ? bound.value : "";
  const set = (value: string) => bound.set(value === "" && !field.isRequired ? undefined : value);
  const preset = typeof field.preset === "string" ? field.preset : undefined;
  return (
    <div className="field">
      <label htmlFor={bound.input.id}>{label}</label>
      {field.isLong ? (
        <textarea
          {...bound.input}
          className="code"
          rows={4}
          spellCheck={false}
          value={text}
          onChange={({ target }) => set(target.value)}
        />
      ) : (
        <input
          {...bound.input}
          type="text"
          autoComplete="off"
          spellCheck={false}
          placeholder={preset}
          value={text}
          onChange={({ target }) => set(target.value)}
        />
      )}
      <FieldNotes bound={bound} hint={field.hint} />
    </div>
  );
}

/** A number; an empty field leaves it out. */
export function NumberField({ field, path, label }: FieldProps<"number">) {
  const bound = useField(path, field.hint);
  const value = typeof bound.value === "number" ? bound.value : undefined;
  const preset = typeof field.preset === "number" ? String(field.preset) : undefined;
  return (
    <div className="field">
      <label htmlFor={bound.input.id}>{label}</label>
      <input
        {...bound.input}
        type="number"
        className="number"
        step={field.isWhole ? 1 : "any"}
        min={field.min}
        max={field.max}
        placeholder={preset}
        value={value ?? ""}
        onChange={({ target }) =>
          bound.set(Number.isNaN(target.valueAsNumber) ? undefined : target.valueAsNumber)
        }
      />
      <FieldNotes bound={bound} hint={field.hint} />
    </div>
  );
}

/** A field that is on or off. */
export function SwitchField({ field, path, label }: FieldProps<"switch">) {
  const bound = useField(path, field.hint);
  return (
    <div className="field">
      <label className="switch">
        <input
          {...bound.input}
          type="checkbox"
          checked={(bound.value ?? field.preset ?? false) === true}
          onChange={({ target }) => bound.set(target.checked)}
        />{" "}
        {label}
      </label>
      <FieldNotes bound={bound} hint={field.hint} />
    </div>
  );
}

/** One value of a few. */
export function ChoiceField({ field, path, label }: FieldProps<"choice">) {
  const bound = useField(path, field.hint);
  const value = bound.value ?? field.preset;
  return (
    <div className="field">
      <label htmlFor={bound.input.id}>{label}</label>
      <select
        {...bound.input}
        value={value === undefined ? ABSENT : String(value)}
        onChange={({ target }) => bound.set(field.values.find((one) => String(one) === target.value))}
      >
        {(value === undefined || (!field.isRequired && field.preset === undefined)) && (
          <option value={ABSENT}>Not set</option>
        )}
        {field.values.map((one) => (
          <option key={one} value={String(one)}>
            {wordOf(one)}
          </option>
        ))}
      </select>
      <FieldNotes bound={bound} hint={field.hint} />
    </div>
  );
}

/** A field that has one value only: it is there or not. */
export function ConstantField({ field, path, label }: FieldProps<"constant">) {
  const bound = useField(path, field.hint);
  if (field.preset !== undefined) return null;
  return (
    <div className="field">
      <label className="switch">
        <input
          {...bound.input}
          type="checkbox"
          checked={bound.value !== undefined}
          onChange={({ target }) => bound.set(target.checked ? field.value : undefined)}
        />{" "}
        {label}: {labelOf(String(field.value)).toLowerCase()}
      </label>
      <FieldNotes bound={bound} hint={field.hint} />
    </div>
  );
}

/** Any JSON. What is no JSON is a text. */
export function JsonField({ field, path, label }: FieldProps<"json">) {
  const bound = useField(path, field.hint);
  const [text, setText] = useState(() => textOfJson(bound.value));
  const shown =
    JSON.stringify(jsonOfText(text)) === JSON.stringify(bound.value) ? text : textOfJson(bound.value);
  const hint = field.hint ?? "JSON, or a text.";
  return (
    <div className="field">
      <label htmlFor={bound.input.id}>{label}</label>
      <input
        {...bound.input}
        aria-describedby={[bound.hintId, bound.messages.length > 0 && bound.messagesId]
          .filter(Boolean)
          .join(" ")}
        type="text"
        autoComplete="off"
        spellCheck={false}
        value={shown}
        onChange={({ target }) => {
          setText(target.value);
          bound.set(jsonOfText(target.value));
        }}
      />
      <FieldNotes bound={bound} hint={hint} />
    </div>
  );
}
