/** The conditions of a rule as sentences: what a condition is about stands in it as inputs. */
import { type ConditionType, conditionTypes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Fragment, useRef } from "react";
import { slosQuery } from "../api/queries/slos.ts";
import type { Field, NamedField, Variant } from "./field-model.ts";
import { Fields } from "./fields.tsx";
import { FieldNotes, useField, type WidgetProps } from "./form.tsx";
import { labelOf } from "./label.ts";
import type { Path } from "./paths.ts";
import { startOf } from "./start-values.ts";
import "./conditions.css";
import { plainText } from "../ui/text.tsx";

/** Shows the conditions of an alert policy: those that may hold for many checks. */
export function PolicyConditionsField(props: WidgetProps) {
  return <Conditions {...props} isOffered={(type) => reasonAgainstPolicies(type) === undefined} />;
}

function reasonAgainstPolicies(type: string): string | undefined {
  const { notForPolicies }: { notForPolicies?: string } = conditionTypes.get(type as ConditionType);
  return notForPolicies;
}

/** Shows the conditions of an alert rule, all of which must hold at once. */
export function ConditionsField(props: WidgetProps) {
  return <Conditions {...props} isOffered={() => true} />;
}

function Conditions({ field, path, isOffered }: WidgetProps & { isOffered(type: string): boolean }) {
  const bound = useField(path, field.hint);
  const items = Array.isArray(bound.value) ? (bound.value as { type?: string }[]) : [];
  const keys = useRef<number[]>([]);
  while (keys.current.length < items.length) keys.current.push((keys.current.at(-1) ?? 0) + 1);
  const known = field.kind === "list" && field.item.kind === "variants" ? field.item.variants : [];
  const variants = known.filter(({ value }) => isOffered(String(value)));
  const [first] = variants;
  return (
    <fieldset id={bound.input.id} tabIndex={-1} className="conditions">
      <legend>Fires when</legend>
      <FieldNotes bound={bound} hint={undefined} />
      {items.map((item, index) => (
        <Fragment key={keys.current[index]}>
          {index > 0 && <p className="quiet">and</p>}
          <Condition
            path={[...path, index]}
            title={`Condition ${index + 1}`}
            variants={variants}
            type={item.type}
            remove={
              items.length === 1
                ? undefined
                : () => {
                    keys.current.splice(index, 1);
                    bound.set(items.filter((_, i) => i !== index));
                  }
            }
          />
        </Fragment>
      ))}
      <div>
        <button
          type="button"
          className="quiet-button"
          onClick={() => first && bound.set([...items, startOfVariant(first)])}
        >
          Add condition
        </button>
      </div>
    </fieldset>
  );
}

function startOfVariant({ value, fields }: Variant): Record<string, unknown> {
  const start = fields.flatMap((field) => {
    const begin = field.isRequired || field.preset !== undefined ? startOf(field) : undefined;
    return begin === undefined ? [] : [[field.name, begin] as const];
  });
  return { type: value, ...Object.fromEntries(start) };
}

function Condition({
  path,
  title,
  variants,
  type,
  remove,
}: {
  path: Path;
  title: string;
  variants: readonly Variant[];
  type: string | undefined;
  remove: (() => void) | undefined;
}) {
  const bound = useField(path, undefined);
  const own = useField([...path, "type"], undefined);
  const variant = variants.find(({ value }) => value === type);
  const sentence = variant ? sentenceOf(variant) : [];
  const inSentence = new Set(sentence.flatMap((part) => (typeof part === "string" ? [] : [part.name])));
  const others = variant?.fields.filter(({ name }) => !inSentence.has(name)) ?? [];
  return (
    <fieldset id={bound.input.id} tabIndex={-1}>
      <legend>{title}</legend>
      <FieldNotes bound={bound} hint={undefined} />
      <div className="fields">
        <div className="field">
          <label htmlFor={own.input.id}>Type</label>
          <select
            {...own.input}
            value={type ?? ""}
            onChange={({ target }) => {
              const next = variants.find(({ value }) => value === target.value);
              if (next) bound.set(startOfVariant(next));
            }}
          >
            {variants.map(({ value, title }) => (
              <option key={value} value={value}>
                {title ?? labelOf(value)}
              </option>
            ))}
          </select>
          <FieldNotes bound={own} hint={undefined} />
        </div>
        <p className="sentence">
          When{" "}
          {sentence.map((part, index) =>
            typeof part === "string" ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence stay in their order
              <Fragment key={index}>{part}</Fragment>
            ) : (
              <InlineField key={part.name} field={part} path={[...path, part.name]} />
            ),
          )}
          .
        </p>
        <Fields fields={others} path={path} />
        {remove && (
          <div>
            <button type="button" className="quiet-button" onClick={remove}>
              Remove {title.toLowerCase()}
            </button>
          </div>
        )}
      </div>
    </fieldset>
  );
}

/** Returns the sentence of a condition: its words, with the fields that they name in their stead. */
function sentenceOf({ value, fields }: Variant): (string | NamedField)[] {
  const { holdsWhen } = conditionTypes.get(value as ConditionType);
  const plain = holdsWhen.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/: see .*$/, "");
  return plain.split(/(`\w+`)/).map((part) => {
    const field = fields.find(({ name }) => `\`${name}\`` === part);
    return field && (field.kind === "number" || field.kind === "choice") ? field : part.replaceAll("`", "");
  });
}

/** An input within a sentence; what is wrong with it stands behind it. */
function InlineField({ field, path }: { field: Field & { name: string }; path: Path }) {
  const bound = useField(path, undefined);
  const label = labelOf(field.name);
  return (
    <>
      {field.kind === "choice" ? (
        <select
          {...bound.input}
          aria-label={label}
          value={String(bound.value ?? field.preset ?? "")}
          onChange={({ target }) => bound.set(field.values.find((one) => String(one) === target.value))}
        >
          {field.values.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      ) : (
        <input
          {...bound.input}
          type="number"
          className="inline-number"
          aria-label={label}
          step={field.kind === "number" && field.isWhole ? 1 : "any"}
          placeholder={typeof field.preset === "number" ? String(field.preset) : undefined}
          value={typeof bound.value === "number" ? bound.value : ""}
          onChange={({ target }) =>
            bound.set(Number.isNaN(target.valueAsNumber) ? undefined : target.valueAsNumber)
          }
        />
      )}
      {bound.messages.length > 0 && (
        <span id={bound.messagesId} className="refusal">
          {" "}
          ({bound.messages.join("; ")})
        </span>
      )}
    </>
  );
}

/** Shows the team's SLOs to choose one from. */
export function SloField({ field, path }: WidgetProps) {
  const bound = useField(path, field.hint);
  const slos = (useQuery(slosQuery).data ?? []).map(({ slo }) => slo);
  const value = typeof bound.value === "string" ? bound.value : "";
  return (
    <div className="field">
      <label htmlFor={bound.input.id}>SLO</label>
      <select {...bound.input} value={value} onChange={({ target }) => bound.set(target.value)}>
        <option value="">Not set</option>
        {value !== "" && slos.every(({ id }) => id !== value) && <option value={value}>{value}</option>}
        {slos.map(({ id, name }) => (
          <option key={id} value={id}>
            {plainText(name)}
          </option>
        ))}
      </select>
      <FieldNotes bound={bound} hint={field.hint} />
    </div>
  );
}
