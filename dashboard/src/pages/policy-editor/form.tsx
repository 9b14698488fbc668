/** The form of an alert policy, with the checks for which it would hold. */
import { createAlertPolicySchema } from "@svc/contract";
import { PolicyConditionsField } from "../../forms/conditions-field.tsx";
import { fieldOf, type NamedField } from "../../forms/field-model.ts";
import { Fields } from "../../forms/fields.tsx";
import { ChannelsField, LabelsField } from "../../forms/pickers.tsx";
import { RecordForm, type RecordFormProps } from "../../forms/record-form.tsx";
import { HeldChecks } from "./held-checks.tsx";
import "../../forms/forms.css";

const FORM = fieldOf(createAlertPolicySchema);
const WIDGETS = { labels: LabelsField, channelIds: ChannelsField, conditions: PolicyConditionsField };
/** The order in which a policy is read: which checks it is for, when it fires, who is notified. */
const ORDER = ["name", "labels", "conditions", "confirm", "recovery", "channelIds", "enabled"];
const FIELDS = (FORM.kind === "group" ? FORM.fields : [])
  .map((field): NamedField => ({ ...field, isRequired: true }))
  .sort((a, b) => (ORDER.indexOf(a.name) >>> 0) - (ORDER.indexOf(b.name) >>> 0));

/** An alert policy, as far as it is filled in. */
export type PolicyDraft = Record<string, unknown>;

/** Shows the form. */
export function PolicyForm(
  record: Pick<RecordFormProps<PolicyDraft>, "storeKey" | "initial" | "cancelPath" | "save" | "reread">,
) {
  return (
    <RecordForm
      {...record}
      name="Alert policy"
      schema={createAlertPolicySchema}
      widgets={WIDGETS}
      storable={(draft) => draft}
    >
      {({ draft }) => (
        <>
          <section className="panel fields">
            <Fields fields={FIELDS} path={[]} />
          </section>
          <HeldChecks draft={draft} />
        </>
      )}
    </RecordForm>
  );
}

/** Returns the fields of a stored policy that the form has. */
export function draftOfPolicy(policy: Record<string, unknown>): PolicyDraft {
  return Object.fromEntries(ORDER.map((name) => [name, policy[name]]));
}
