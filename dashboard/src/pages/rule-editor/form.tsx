/** The form of an alert rule, with what it would have done. */
import { createAlertRuleSchema } from "@svc/contract";
import * as z from "zod";
import { ConditionsField, SloField } from "../../forms/conditions-field.tsx";
import { fieldOf, type NamedField } from "../../forms/field-model.ts";
import { Fields } from "../../forms/fields.tsx";
import { changed } from "../../forms/form.tsx";
import type { Path } from "../../forms/paths.ts";
import { ChannelsField, CheckField } from "../../forms/pickers.tsx";
import { RecordForm, type RecordFormProps } from "../../forms/record-form.tsx";
import { RulePreview } from "./preview.tsx";
import "../../forms/forms.css";
import "./rule-editor.css";

const SCHEMA = createAlertRuleSchema.extend({
  checkId: z.string({ error: "choose a check" }).min(1, "choose a check"),
});
const FORM = fieldOf(SCHEMA);
const FIELDS = FORM.kind === "group" ? FORM.fields : [];
const WIDGETS = {
  checkId: CheckField,
  channelIds: ChannelsField,
  conditions: ConditionsField,
  "conditions.sloId": SloField,
};
/** The order in which a rule is read: what it is about, when it fires, who is notified. */
const ORDER = ["name", "checkId", "conditions", "confirm", "recovery", "channelIds", "enabled"];

/** Returns the draft after a change: a rule need not have a name. */
function withoutEmptyName(draft: RuleDraft, path: Path, value: unknown): RuleDraft {
  return changed(draft, path, path[0] === "name" && value === "" ? null : value);
}

/** An alert rule with its check, as far as it is filled in. */
export type RuleDraft = Record<string, unknown>;

/** Shows the form. @param props.isNew true: its check can be chosen */
export function RuleForm({
  isNew,
  ...record
}: Pick<RecordFormProps<RuleDraft>, "storeKey" | "initial" | "cancelPath" | "save" | "reread"> & {
  isNew: boolean;
}) {
  const fields = FIELDS.filter(({ name }) => isNew || name !== "checkId")
    .map((field): NamedField => ({ ...field, isRequired: true }))
    .sort((a, b) => (ORDER.indexOf(a.name) >>> 0) - (ORDER.indexOf(b.name) >>> 0));
  return (
    <RecordForm
      {...record}
      name="Alert rule"
      schema={SCHEMA}
      widgets={WIDGETS}
      storable={(draft) => draft}
      afterChange={withoutEmptyName}
    >
      {({ draft }) => (
        <>
          <section className="panel fields">
            <Fields fields={fields} path={[]} />
          </section>
          <RulePreview draft={draft} />
        </>
      )}
    </RecordForm>
  );
}
