/** Names with values, such as headers: a row for each. */
import { useId, useState } from "react";
import { plainText } from "../ui/text.tsx";
import type { FieldProps } from "./field-model.ts";
import { FieldSet } from "./field-set.tsx";
import { FieldNotes, useField, useForm } from "./form.tsx";
import { jsonOfText, textOfJson } from "./json-text.ts";
import { itemLabelOf } from "./label.ts";
import { messagesWithin } from "./problems.ts";

/** A row of names with values, such as a header. Rows without a name are not part of the draft. */
interface Row {
  name: string;
  value: unknown;
}

/** Names with values: headers, variables. */
export function PairsField({ field, path, label }: FieldProps<"pairs">) {
  const bound = useField(path, field.hint);
  const { problems } = useForm();
  const [rows, setRows] = useState<Row[]>([]);
  const written = JSON.stringify(bound.value ?? {});
  // A change of the draft by another part of the page replaces the rows.
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
