/** Fields that name other records: chosen by name instead of written as ids. */
import { type ChannelType, labelSchema, pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { channelsQuery } from "../api/queries/channels.ts";
import { summaryQuery } from "../api/queries/summary.ts";
import { rowsOf } from "../status/check-rows.ts";
import { plainText, Text } from "../ui/text.tsx";
import { CheckChoices, Choices } from "./choices.tsx";
import { FieldNotes, useField, useForm, type WidgetProps } from "./form.tsx";
import { messagesWithin } from "./problems.ts";

/** Shows the team's checks to choose one from. */
export function CheckField({ field, path, label }: WidgetProps) {
  const bound = useField(path, field.hint);
  const rows = rowsOf(useQuery(summaryQuery).data ?? []);
  const value = typeof bound.value === "string" ? bound.value : "";
  const isKnown = value === "" || rows.some(({ id }) => id === value);
  const byName = [...rows].sort((a, b) => a.name.localeCompare(b.name));
  return (
    <div className="field">
      <label htmlFor={bound.input.id}>{label.replace(/ ID$/, "")}</label>
      <select
        {...bound.input}
        value={value}
        onChange={({ target }) => bound.set(target.value === "" ? undefined : target.value)}
      >
        <option value="">Not set</option>
        {!isKnown && <option value={value}>{value}</option>}
        {byName.map(({ id, name }) => (
          <option key={id} value={id}>
            {plainText(name)}
          </option>
        ))}
      </select>
      <FieldNotes bound={bound} hint={field.hint} />
    </div>
  );
}

/** Shows the team's checks to choose some from, those that are chosen first. */
export function DependsOnField({ field, path, label }: WidgetProps) {
  const bound = useField(path, field.hint);
  return (
    <fieldset id={bound.input.id} tabIndex={-1} aria-describedby={bound.input["aria-describedby"]}>
      <legend>{label}</legend>
      <FieldNotes bound={bound} hint={field.hint} />
      <CheckChoices
        chosen={Array.isArray(bound.value) ? (bound.value as string[]) : []}
        onChange={bound.set}
        searchLabel="Find a check that this one depends on"
      />
    </fieldset>
  );
}

/** Shows labels, each of which can be taken away, and adds others: those that checks have are offered. */
export function LabelsField({ field, path }: WidgetProps) {
  const bound = useField(path, field.hint);
  const { problems } = useForm();
  const [text, setText] = useState("");
  const [refusal, setRefusal] = useState("");
  const listId = useId();
  const refusalId = useId();
  const rows = rowsOf(useQuery(summaryQuery).data ?? []);
  const known = [...new Set(rows.flatMap(({ labels }) => labels))].sort();
  const labels = Array.isArray(bound.value) ? (bound.value as string[]) : [];
  const inner = messagesWithin(problems, path).filter((message) => !bound.messages.includes(message));
  const add = () => {
    const label = text.trim();
    if (label === "") return;
    const { error } = labelSchema.safeParse(label);
    setRefusal(error?.issues.map(({ message }) => message).join("; ") ?? "");
    if (error) return;
    if (!labels.includes(label)) bound.set([...labels, label]);
    setText("");
  };
  return (
    <fieldset>
      <legend>Labels</legend>
      <FieldNotes bound={bound} hint={field.hint} />
      {inner.length > 0 && <p className="refusal">{inner.join("; ")}</p>}
      {labels.length > 0 && (
        <ul className="plain row" aria-label="Chosen labels">
          {labels.map((label) => (
            <li key={label} className="tag">
              <Text>{label}</Text>{" "}
              <button
                type="button"
                className="quiet-button"
                aria-label={`Remove label ${plainText(label)}`}
                onClick={() => bound.set(labels.filter((one) => one !== label))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="row">
        <input
          {...bound.input}
          {...(refusal !== "" && { "aria-invalid": true, "aria-describedby": refusalId })}
          aria-label="Label to add"
          list={listId}
          value={text}
          placeholder="team:shop"
          onChange={({ target }) => setText(target.value)}
          // Who goes on to Save without the button beside it means the label, too.
          onBlur={add}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            add();
          }}
        />
        <datalist id={listId}>
          {known.map((label) => (
            <option key={label} value={label} />
          ))}
        </datalist>
        <button type="button" className="quiet-button" onClick={add}>
          Add label
        </button>
      </div>
      {refusal !== "" && (
        <p id={refusalId} role="alert" className="refusal">
          {refusal}
        </p>
      )}
    </fieldset>
  );
}

/** Shows the team's channels to choose some from. */
export function ChannelsField(props: WidgetProps) {
  return <ChannelsOfTypes {...props} />;
}

/** Shows the team's channels of the type email to choose some from. */
export function EmailChannelsField(props: WidgetProps) {
  return <ChannelsOfTypes {...props} type="email" />;
}

/** Shows the team's channels, or those of one type, and whatever else is chosen, to choose some from. */
function ChannelsOfTypes({ field, path, type: wanted }: WidgetProps & { type?: ChannelType }) {
  const bound = useField(path, field.hint);
  const { problems } = useForm();
  const { data, error } = useQuery(channelsQuery);
  const chosen = Array.isArray(bound.value) ? (bound.value as string[]) : [];
  const inner = messagesWithin(problems, path).filter((message) => !bound.messages.includes(message));
  const channels = (data?.channels ?? []).filter(
    ({ id, type }) => wanted === undefined || type === wanted || chosen.includes(id),
  );
  return (
    <fieldset id={bound.input.id} tabIndex={-1} aria-describedby={bound.input["aria-describedby"]}>
      <legend>Channels</legend>
      <FieldNotes bound={bound} hint={field.hint} />
      {inner.length > 0 && <p className="refusal">{inner.join("; ")}</p>}
      {error && (
        <p role="alert" className="refusal">
          {error.message}
        </p>
      )}
      {data && (
        <p className="hint">
          {channels.length === 0 &&
            (wanted === undefined
              ? "There are no channels yet. "
              : `There are no channels of the type ${wanted} yet. `)}
          <a href={pagePath("newChannel", {})} target="_blank" rel="noopener">
            Make a channel
          </a>{" "}
          in another tab; it stands here then.
        </p>
      )}
      <Choices
        options={channels.map(({ id, name, type }) => ({
          id,
          name,
          note: <span className="hint"> {type}</span>,
        }))}
        chosen={chosen}
        onChange={bound.set}
      />
    </fieldset>
  );
}
