/** The locations of a check: those that the team can use, and those that the check has and nobody can choose any more. */
import { useQuery } from "@tanstack/react-query";
import { locationsQuery } from "../api/queries/locations.ts";
import { Choices } from "./choices.tsx";
import { FieldNotes, useField, useForm, type WidgetProps } from "./form.tsx";
import { messagesWithin } from "./problems.ts";

/** Shows the locations to choose from, with what they can run. */
export function LocationsField({ path, label }: WidgetProps) {
  const bound = useField(path, undefined);
  const { problems } = useForm();
  const { data, error } = useQuery(locationsQuery);
  const offered = data?.locations ?? [];
  const chosen = Array.isArray(bound.value) ? (bound.value as string[]) : [];
  const others = data ? chosen.filter((id) => offered.every((one) => one.id !== id)) : [];
  const all = [
    ...offered.map(({ id, displayName, type }) => ({ id, name: displayName, isPrivate: type === "private" })),
    ...others.map((id) => ({ id, name: `${id} (not offered any more)`, isPrivate: false })),
  ];
  const inner = messagesWithin(problems, path).filter((message) => !bound.messages.includes(message));
  return (
    <fieldset id={bound.input.id} tabIndex={-1} aria-describedby={bound.input["aria-describedby"]}>
      <legend>{label}</legend>
      <FieldNotes bound={bound} hint={undefined} />
      {inner.length > 0 && <p className="refusal">{inner.join("; ")}</p>}
      {error && (
        <p role="alert" className="refusal">
          {error.message}
        </p>
      )}
      <Choices
        options={all.map(({ id, name, isPrivate }) => ({
          id,
          name,
          note: isPrivate && <span className="hint"> private</span>,
        }))}
        chosen={chosen}
        onChange={bound.set}
      />
    </fieldset>
  );
}
