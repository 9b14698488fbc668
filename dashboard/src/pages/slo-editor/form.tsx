/** The form of an SLO. */
import { createSloSchema } from "@svc/contract";
import { fieldOf } from "../../forms/field-model.ts";
import { Fields } from "../../forms/fields.tsx";
import { ChannelsField, CheckField } from "../../forms/pickers.tsx";
import { RecordForm, type RecordFormProps } from "../../forms/record-form.tsx";
import "../../forms/forms.css";

const FORM = fieldOf(createSloSchema);
const WIDGETS = { checkId: CheckField, channelIds: ChannelsField };

/** Fields that come first: what the SLO is called, and the check that it is about. */
const FIRST = ["name", "checkId"];
const FIELDS = FORM.kind === "group" ? FORM.fields : [];
const ORDERED = [
  ...FIRST.flatMap((name) => FIELDS.filter((field) => field.name === name)).map((field) => ({
    ...field,
    isRequired: true,
  })),
  ...FIELDS.filter(({ name }) => !FIRST.includes(name)),
];

/** Body of the request that creates an SLO, as far as it is filled in. */
export type SloDraft = Record<string, unknown>;

/** Shows the form. */
export function SloForm(
  record: Pick<RecordFormProps<SloDraft>, "storeKey" | "initial" | "cancelPath" | "save" | "reread">,
) {
  return (
    <RecordForm {...record} name="SLO" schema={createSloSchema} widgets={WIDGETS} storable={(draft) => draft}>
      {() => (
        <section className="panel fields">
          <Fields fields={ORDERED} path={[]} />
        </section>
      )}
    </RecordForm>
  );
}

/** Returns the fields of a stored SLO that the form has. */
export function draftOfSlo(slo: Record<string, unknown>): SloDraft {
  return Object.fromEntries(
    FIELDS.flatMap(({ name }) => (slo[name] === undefined || slo[name] === null ? [] : [[name, slo[name]]])),
  );
}
