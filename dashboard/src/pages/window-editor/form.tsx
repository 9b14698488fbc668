/** The form of a maintenance window, with its next occurrences. */
import { createMaintenanceWindowSchema, type maintenanceWindowRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import { type Answer, request } from "../../api/request.ts";
import { fieldOf } from "../../forms/field-model.ts";
import { Fields } from "../../forms/fields.tsx";
import { changed } from "../../forms/form.tsx";
import type { Path } from "../../forms/paths.ts";
import { RecordForm, type RecordFormProps } from "../../forms/record-form.tsx";
import { InstantField, ZoneField } from "../../forms/time-fields.tsx";
import { durationText, wallTimeText } from "../../time/format.ts";
import { ChecksField, NoField, RecurrenceField } from "./fields.tsx";
import "../../forms/forms.css";

const FORM = fieldOf(createMaintenanceWindowSchema);
const WIDGETS = {
  checkIds: ChecksField,
  startsAt: InstantField,
  endsAt: InstantField,
  recurring: NoField,
  recurrenceRule: RecurrenceField,
  timezone: ZoneField,
};

/** Body of the request that creates a window, as far as it is filled in. */
export type WindowDraft = Record<string, unknown>;

/** Shows the form. */
export function WindowForm(
  record: Pick<RecordFormProps<WindowDraft>, "storeKey" | "initial" | "cancelPath" | "save" | "reread">,
) {
  return (
    <RecordForm
      {...record}
      name="Maintenance window"
      schema={createMaintenanceWindowSchema}
      widgets={WIDGETS}
      storable={(draft) => draft}
      afterChange={recurringByRule}
    >
      {({ draft }) => (
        <>
          <section className="panel fields">
            {/* All of them stand above: a window has few fields, and what repeats it is one of the first questions. */}
            {FORM.kind === "group" && (
              <Fields fields={FORM.fields.map((field) => ({ ...field, isRequired: true }))} path={[]} />
            )}
          </section>
          <Preview draft={draft} />
        </>
      )}
    </RecordForm>
  );
}

/** Returns the draft after a change: a window recurs when it has a rule. */
function recurringByRule(draft: WindowDraft, path: Path, value: unknown): WindowDraft {
  const next = changed(draft, path, value);
  return path[0] === "recurrenceRule" ? { ...next, recurring: value !== undefined } : next;
}

/** Shows when the window would occur next, in its own zone with the offsets from UTC. */
function Preview({ draft }: { draft: WindowDraft }) {
  const { name: _name, checkIds: _checkIds, ...times } = useDeferredValue(draft);
  const zone = typeof times.timezone === "string" ? times.timezone : "UTC";
  const { data, error } = useQuery({
    queryKey: ["window preview", times],
    queryFn: () =>
      request<typeof maintenanceWindowRoutes.preview>("POST", "/api/maintenance-windows/preview", {
        body: times as never,
      }),
    enabled: times.startsAt !== "" && times.endsAt !== "",
    retry: false,
    placeholderData: (before: Answer<typeof maintenanceWindowRoutes.preview> | undefined) => before,
  });
  return (
    <section className="panel" aria-label="Next occurrences of the window">
      <h2>Next occurrences</h2>
      {error ? (
        <p className="hint">These times make no window yet.</p>
      ) : (
        <ol className="plain" aria-label="Next occurrences">
          {(data?.occurrences ?? []).map(({ startsAt, endsAt }) => (
            <li key={startsAt}>
              <time dateTime={startsAt}>{wallTimeText(startsAt, zone)}</time>{" "}
              <span className="quiet">for {durationText(Date.parse(endsAt) - Date.parse(startsAt))}</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
