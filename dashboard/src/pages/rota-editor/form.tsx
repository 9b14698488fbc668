/** The form of a rota. */
import { createRotaSchema, type rotaRoutes } from "@svc/contract";
import type { Answer } from "../../api/request.ts";
import { fieldOf } from "../../forms/field-model.ts";
import { Fields } from "../../forms/fields.tsx";
import { ChannelsField } from "../../forms/pickers.tsx";
import { RecordForm, type RecordFormProps } from "../../forms/record-form.tsx";
import { InstantField, ZoneField } from "../../forms/time-fields.tsx";
import { wallInputText } from "../../time/format.ts";
import "../../forms/forms.css";

const FORM = fieldOf(createRotaSchema);
const WIDGETS = {
  timezone: ZoneField,
  startsAt: InstantField,
  "members.channelIds": ChannelsField,
  "overrides.from": InstantField,
  "overrides.to": InstantField,
};

/** Body of the request that creates a rota, as far as it is filled in. */
export type RotaDraft = Record<string, unknown>;

/** Shows the form. */
export function RotaForm(
  record: Pick<RecordFormProps<RotaDraft>, "storeKey" | "initial" | "cancelPath" | "save" | "reread">,
) {
  return (
    <RecordForm
      {...record}
      name="Rota"
      schema={createRotaSchema}
      widgets={WIDGETS}
      storable={(draft) => draft}
    >
      {() => (
        <section className="panel fields">
          {FORM.kind === "group" && (
            <Fields fields={FORM.fields.map((field) => ({ ...field, isRequired: true }))} path={[]} />
          )}
        </section>
      )}
    </RecordForm>
  );
}

/** Returns a stored rota as the body that would create it, its instants as wall time in its zone. */
export function draftOfRota(rota: Answer<typeof rotaRoutes.get>["rota"]): RotaDraft {
  const { name, timezone, startsAt, handover, members, overrides } = rota;
  return {
    name,
    timezone,
    startsAt: wallInputText(startsAt, timezone),
    handover,
    members,
    overrides: overrides.map(({ from, to, member }) => ({
      from: wallInputText(from, timezone),
      to: wallInputText(to, timezone),
      member,
    })),
  };
}
