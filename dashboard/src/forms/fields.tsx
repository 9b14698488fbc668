/** Fields of a form, drawn from what their schema asks for. */
import { type ReactNode, useId, useRef, useState } from "react";
import { plainText } from "../ui/text.tsx";
import type { Field, NamedField, Variant } from "./field-model.ts";
import { FieldNotes, useField, useForm } from "./form.tsx";
import { jsonOfText, textOfJson } from "./json-text.ts";
import { itemLabelOf, labelOf } from "./label.ts";
import { type Path, valueAt } from "./paths.ts";
import { messagesWithin } from "./problems.ts";
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

type Of<Kind extends Field["kind"]> = { field: Extract<Field, { kind: Kind }>; path: Path; label: string };

function TextField({ field, path, label }: Of<"text">) {
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

function NumberField({ field, path, label }: Of<"number">) {
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

function SwitchField({ field, path, label }: Of<"switch">) {
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

/** Value of the entry of a choice that leaves the field out. */
const ABSENT = "";

function ChoiceField({ field, path, label }: Of<"choice">) {
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

/** Returns a value of a choice as it is shown: names in words, all others as they are. */
function wordOf(value: string | number): string | number {
  return typeof value === "string" && /^[a-z_]+$/.test(value) ? labelOf(value) : value;
}

/** A field that has one value only: it is there or not. */
function ConstantField({ field, path, label }: Of<"constant">) {
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

/** A named group of fields. One that may be left out is added and removed. */
function ObjectField({ field, path, label }: Of<"group" | "variants">) {
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

function FieldSet({
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

/** A list of values that are chosen from a few, none twice. */
function SetField({ field, path, label }: Of<"list">) {
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

function ListField({ field, path, label }: Of<"list">) {
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

/** A row of names with values, such as a header. Rows without a name are not part of the draft. */
interface Row {
  name: string;
  value: unknown;
}

function PairsField({ field, path, label }: Of<"pairs">) {
  const bound = useField(path, field.hint);
  const { problems } = useForm();
  const [rows, setRows] = useState<Row[]>([]);
  const written = JSON.stringify(bound.value ?? {});
  // What another part of the page wrote into the draft replaces the rows.
  const shown = JSON.stringify(objectOf(rows)) === written ? rows : rowsOf(bound.value);
  const id = useId();
  const write = (next: Row[]) => {
    setRows(next);
    const object = objectOf(next);
    bound.set(Object.keys(object).length === 0 && !field.isRequired ? undefined : object);
  };
  const edit = (index: number, part: Partial<Row>) =>
    write(shown.map((row, i) => (i === index ? { ...row, ...part } : row)));
  const name = itemLabelOf(String(path.at(-1)));
  const inner = messagesWithin(problems, path).filter((message) => !bound.messages.includes(message));
  return (
    <FieldSet label={label} id={bound.input.id} notes={<FieldNotes bound={bound} hint={field.hint} />}>
      {inner.length > 0 && <p className="refusal">{plainText(inner.join("; "))}</p>}
      {shown.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows are known by their position only
        <div key={`${id} ${index}`} className="pair">
          <input
            type="text"
            aria-label={`Name of ${name} ${index + 1}`}
            placeholder="Name"
            autoComplete="off"
            spellCheck={false}
            value={row.name}
            onChange={({ target }) => edit(index, { name: target.value })}
          />
          <input
            type="text"
            aria-label={`Value of ${name} ${index + 1}`}
            placeholder="Value"
            autoComplete="off"
            spellCheck={false}
            value={field.value.kind === "text" ? String(row.value ?? "") : textOfJson(row.value)}
            onChange={({ target }) =>
              edit(index, { value: field.value.kind === "text" ? target.value : jsonOfText(target.value) })
            }
          />
          <button
            type="button"
            className="quiet-button"
            aria-label={`Remove ${name} ${index + 1}`}
            onClick={() => write(shown.filter((_, i) => i !== index))}
          >
            Remove
          </button>
        </div>
      ))}
      <div>
        <button
          type="button"
          className="quiet-button"
          onClick={() => setRows([...shown, { name: "", value: "" }])}
        >
          Add {name}
        </button>
      </div>
    </FieldSet>
  );
}

function rowsOf(value: unknown): Row[] {
  return Object.entries((value ?? {}) as Record<string, unknown>).map(([name, one]) => ({
    name,
    value: one,
  }));
}

function objectOf(rows: readonly Row[]): Record<string, unknown> {
  return Object.fromEntries(rows.filter(({ name }) => name !== "").map(({ name, value }) => [name, value]));
}

/** Any JSON. What is no JSON is a text. */
function JsonField({ field, path, label }: Of<"json">) {
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

function lowerFirst(text: string): string {
  return /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
