/** Fields that name other records: chosen by name instead of written as ids. */
import { useQuery } from "@tanstack/react-query";
import { channelsQuery } from "../api/queries/channels.ts";
import { summaryQuery } from "../api/queries/summary.ts";
import { rowsOf } from "../status/check-rows.ts";
import { plainText, Text } from "../ui/text.tsx";
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

/** Shows the team's channels to choose some from. */
export function ChannelsField({ field, path }: WidgetProps) {
  const bound = useField(path, field.hint);
  const { problems } = useForm();
  const { data, error } = useQuery(channelsQuery);
  const chosen = Array.isArray(bound.value) ? (bound.value as string[]) : [];
  const inner = messagesWithin(problems, path).filter((message) => !bound.messages.includes(message));
  const channels = data?.channels ?? [];
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
      {data && channels.length === 0 && <p className="hint">There are no channels yet.</p>}
      <div className="choices">
        {channels.map(({ id, name, type }) => (
          <label key={id} className="switch">
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={({ target }) =>
                bound.set(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
              }
            />{" "}
            <Text>{name}</Text> <span className="hint">{type}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
