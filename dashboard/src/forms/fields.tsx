/** Fields of a form, drawn from what their schema asks for. */
import { useRef, useState } from "react";
import { ABSENT } from "./choices.ts";
import type { Field, FieldProps, NamedField, Variant } from "./field-model.ts";
import { FieldSet, SetField } from "./field-set.tsx";
import { FieldNotes, useField, useForm } from "./form.tsx";
import { itemLabelOf, labelOf, lowerFirst } from "./label.ts";
import { PairsField } from "./pairs-field.tsx";
import { type Path, valueAt } from "./paths.ts";
import { messagesWithin } from "./problems.ts";
import {
  ChoiceField,
  ConstantField,
  JsonField,
  NumberField,
  SwitchField,
  TextField,
} from "./simple-fields.tsx";
import { startOf } from "./start-values.ts";

/** Fields that may be left out and are shown nevertheless: more of them stand behind a heading of their own. */
const OPTIONAL_SHOWN_MAX = 2;

/**
 * Shows fields of an object. Those that may be left out and are stand together below the others.
 * @param props.path path of the object
 */
export function Fields({ fields, path }: { fields: readonly NamedField[]; path: Path }) {
  const { draft, problems } = useForm();
  const areFew = fields.filter(({ isRequired }) => !isRequired).length <= OPTIONAL_SHOWN_MAX;
  const isUsed = (field: NamedField) =>
    areFew ||
    field.isRequired ||
    field.kind === "list" ||
    valueAt(draft, [...path, field.name]) !== undefined;
  // A field stays where it was when it is filled: only what was set when the form began stands above.
  const [above] = useState(() => new Set(fields.filter(isUsed).map(({ name }) => name)));
  const [wasOpened, setOpened] = useState(false);
  const [first, others] = [
    fields.filter(({ name }) => above.has(name)),
    fields.filter(({ name }) => !above.has(name)),
  ];
  const draw = (field: NamedField) => (
    <OneField key={field.name} field={field} path={[...path, field.name]} label={labelOf(field.name)} />
  );
  const hasProblem = others.some(({ name }) => messagesWithin(problems, [...path, name]).length > 0);
  return (
    <>
      {first.map(draw)}
      {others.length > 0 && (
        <details
          open={hasProblem || undefined}
          onToggle={({ currentTarget }) => {
            if (currentTarget.open) setOpened(true);
          }}
        >
          <summary>More settings ({others.length})</summary>
          {/* Most forms are saved without a look at these: they are drawn once somebody wants to see them. */}
          {(wasOpened || hasProblem) && <div className="fields">{others.map(draw)}</div>}
        </details>
      )}
    </>
  );
}

/** Shows one field, by a component of the page's own when it has one for the path. */
export function OneField({ field, path, label }: { field: Field; path: Path; label: string }) {
  const { widgets } = useForm();
  const Widget = widgets?.[path.filter((key) => typeof key === "string").join(".")];
  if (Widget) return <Widget field={field} path={path} label={label} />;
  switch (field.kind) {
    case "text":
      return <TextField field={field} path={path} label={label} />;
    case "number":
      return <NumberField field={field} path={path} label={label} />;
    case "switch":
      return <SwitchField field={field} path={path} label={label} />;
    case "choice":
      return <ChoiceField field={field} path={path} label={label} />;
    case "constant":
      return field.isRequired ? null : <ConstantField field={field} path={path} label={label} />;
    case "group":
    case "variants":
      return <ObjectField field={field} path={path} label={label} />;
    case "list":
      return field.isSet ? (
        <SetField field={field} path={path} label={label} />
      ) : (
        <ListField field={field} path={path} label={label} />
      );
    case "pairs":
      return <PairsField field={field} path={path} label={label} />;
    case "json":
      return <JsonField field={field} path={path} label={label} />;
  }
}

/** A named group of fields. One that may be left out is added and removed. */
function ObjectField({ field, path, label }: FieldProps<"group" | "variants">) {
  const bound = useField(path, field.hint);
  const isThere = bound.value !== undefined && bound.value !== null;
  const mayBeAbsent = !field.isRequired || field.isNullable;
  if (!isThere)
    return (
      <div className="field">
        <button
          type="button"
          id={bound.input.id}
          className="quiet-button"
          onClick={() => bound.set(startOf(field))}
        >
          Add {lowerFirst(label)}
        </button>
        <FieldNotes bound={bound} hint={field.hint} />
      </div>
    );
  return (
    <FieldSet
      label={label}
      id={bound.input.id}
      notes={<FieldNotes bound={bound} hint={field.hint} />}
      remove={
        mayBeAbsent ? () => bound.set(field.isNullable && !field.isRequired ? null : undefined) : undefined
      }
    >
      {field.kind === "group" ? (
        <Fields fields={field.fields} path={path} />
      ) : (
        <VariantFields by={field.by} variants={field.variants} path={path} />
      )}
    </FieldSet>
  );
}

/** Shows the choice among several kinds of objects, and the fields of the one that is chosen. */
function VariantFields({ by, variants, path }: { by: string; variants: readonly Variant[]; path: Path }) {
  const bound = useField([...path, by], undefined);
  const whole = useField(path, undefined);
  const chosen = variants.find(({ value }) => value === bound.value);
  return (
    <>
      <div className="field">
        <label htmlFor={bound.input.id}>{labelOf(by)}</label>
        <select
          {...bound.input}
          value={chosen?.value ?? ABSENT}
          onChange={({ target }) => {
            const next = variants.find(({ value }) => value === target.value);
            if (next)
              whole.set({
                [by]: next.value,
                ...keptFields(whole.value, next),
                ...startOfFields(next, whole.value),
              });
          }}
        >
          {!chosen && <option value={ABSENT}>Not set</option>}
          {variants.map(({ value, title }) => (
            <option key={value} value={value}>
              {title ?? labelOf(value)}
            </option>
          ))}
        </select>
        <FieldNotes bound={bound} hint={undefined} />
      </div>
      {chosen && <Fields key={chosen.value} fields={chosen.fields} path={path} />}
    </>
  );
}

/** Returns the fields of a value that another kind has under the same name. */
function keptFields(value: unknown, { fields }: Variant): Record<string, unknown> {
  const entries = Object.entries((value ?? {}) as Record<string, unknown>);
  return Object.fromEntries(entries.filter(([name]) => fields.some((field) => field.name === name)));
}

function startOfFields({ fields }: Variant, value: unknown): Record<string, unknown> {
  const kept = (value ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    fields.flatMap((field) =>
      field.isRequired && kept[field.name] === undefined ? [[field.name, startOf(field)]] : [],
    ),
  );
}

function ListField({ field, path, label }: FieldProps<"list">) {
  const bound = useField(path, field.hint);
  const items = Array.isArray(bound.value) ? (bound.value as unknown[]) : [];
  const keys = useKeys(items.length);
  const name = itemLabelOf(String(path.at(-1)));
  const drop = (index: number) => {
    keys.drop(index);
    const rest = items.filter((_, i) => i !== index);
    bound.set(rest.length === 0 && !field.isRequired ? undefined : rest);
  };
  const isSimple = !["group", "variants"].includes(field.item.kind);
  return (
    <FieldSet label={label} id={bound.input.id} notes={<FieldNotes bound={bound} hint={field.hint} />}>
      {items.map((_, index) => {
        const title = `${name.charAt(0).toUpperCase()}${name.slice(1)} ${index + 1}`;
        const itemPath = [...path, index];
        return (
          <div key={keys.at(index)} className="list-item">
            {isSimple ? (
              <OneField field={field.item} path={itemPath} label={title} />
            ) : (
              <ItemFields field={field.item} path={itemPath} label={title} />
            )}
            <button
              type="button"
              className="quiet-button"
              aria-label={`Remove ${lowerFirst(title)}`}
              onClick={() => drop(index)}
            >
              Remove
            </button>
          </div>
        );
      })}
      <div>
        <button
          type="button"
          className="quiet-button"
          onClick={() => bound.set([...items, startOf({ ...field.item, isRequired: true })])}
        >
          Add {name}
        </button>
      </div>
    </FieldSet>
  );
}

function ItemFields({ field, path, label }: { field: Field; path: Path; label: string }) {
  const bound = useField(path, field.hint);
  return (
    <FieldSet label={label} id={bound.input.id} notes={<FieldNotes bound={bound} hint={field.hint} />}>
      {field.kind === "group" && <Fields fields={field.fields} path={path} />}
      {field.kind === "variants" && <VariantFields by={field.by} variants={field.variants} path={path} />}
    </FieldSet>
  );
}

/** Returns keys of list items that stay with their items when one is removed. */
function useKeys(length: number) {
  const keys = useRef<number[]>([]);
  const next = useRef(0);
  while (keys.current.length < length) keys.current.push(next.current++);
  keys.current.length = length;
  return {
    at: (index: number) => keys.current[index],
    drop: (index: number) => void keys.current.splice(index, 1),
  };
}
