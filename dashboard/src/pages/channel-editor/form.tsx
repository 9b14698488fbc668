/** The form of a notification channel. */
import { createChannelSchema, updateChannelSchema } from "@svc/contract";
import { fieldOf, type NamedField } from "../../forms/field-model.ts";
import { Fields } from "../../forms/fields.tsx";
import { useForm, type WidgetProps } from "../../forms/form.tsx";
import { valueAt } from "../../forms/paths.ts";
import { RecordForm, type RecordFormProps } from "../../forms/record-form.tsx";
import { IncidentTemplateField } from "./incident-template.tsx";
import "../../forms/forms.css";

const NEW = fieldOf(createChannelSchema);
const CHANGED = fieldOf(updateChannelSchema);
/** Fields that webhook channels have alone. */
const OF_WEBHOOKS = new Set(["incidentTemplate", "incidentSubscribed"]);

/** Body of the request that creates or changes a channel, as far as it is filled in. */
export type ChannelDraft = Record<string, unknown>;

/** Shows the form. @param props.isNew true: its type can be chosen */
export function ChannelForm({
  isNew,
  ...record
}: Pick<RecordFormProps<ChannelDraft>, "storeKey" | "initial" | "cancelPath" | "save" | "reread"> & {
  isNew: boolean;
}) {
  const form = isNew ? NEW : CHANGED;
  const fieldsOf = (draft: ChannelDraft): NamedField[] =>
    (form.kind === "group" ? form.fields : []).flatMap((field) => {
      if (OF_WEBHOOKS.has(field.name) && valueAt(draft, ["channel", "type"]) !== "webhook") return [];
      // A change may leave any field out; this form sends them all.
      return field.name === "name" || field.name === "channel" ? [{ ...field, isRequired: true }] : [field];
    });
  return (
    <RecordForm
      {...record}
      name="Channel"
      schema={isNew ? createChannelSchema : updateChannelSchema}
      {...(!isNew && { widgets: { channel: FieldsOfType, incidentTemplate: IncidentTemplateField } })}
      storable={withoutSecrets}
    >
      {({ draft }) => (
        <section className="panel fields">
          <Fields fields={fieldsOf(draft)} path={[]} />
        </section>
      )}
    </RecordForm>
  );
}

/** The fields of a channel whose type stays. */
function FieldsOfType({ field, path, label }: WidgetProps) {
  const { draft } = useForm();
  const variant =
    field.kind === "variants" &&
    field.variants.find(({ value }) => value === valueAt(draft, [...path, field.by]));
  return (
    variant && (
      <fieldset>
        <legend>{label}</legend>
        <p className="hint">A *** keeps what is stored.</p>
        <div className="fields">
          <Fields fields={variant.fields} path={path} />
        </div>
      </fieldset>
    )
  );
}

/** Returns the name and type of a draft alone: most other fields of a channel are secret. */
function withoutSecrets({ name, channel }: ChannelDraft): ChannelDraft {
  return { name, channel: { type: valueAt(channel, ["type"]) } };
}
