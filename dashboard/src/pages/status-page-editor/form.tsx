/** The form of a status page. */
import { createStatusPageSchema, type statusPageRoutes } from "@svc/contract";
import type { Answer } from "../../api/request.ts";
import { fieldOf, type NamedField } from "../../forms/field-model.ts";
import { Fields } from "../../forms/fields.tsx";
import { CheckField, LabelsField } from "../../forms/pickers.tsx";
import { RecordForm, type RecordFormProps } from "../../forms/record-form.tsx";
import "../../forms/forms.css";

const FORM = fieldOf(createStatusPageSchema);
const WIDGETS = { "components.checkId": CheckField, "components.labels": ComponentLabels };
const FIELDS = (FORM.kind === "group" ? FORM.fields : []).map(
  (field): NamedField => ({
    ...field,
    isRequired: true,
    ...(field.name === "description" && { isLong: true }),
  }),
);

/** A status page, as far as it is filled in. */
export type StatusPageDraft = Record<string, unknown>;

/** Shows labels as the alternative to a check. */
function ComponentLabels(props: Parameters<typeof LabelsField>[0]) {
  return (
    <>
      <p className="hint">Either a check above, or labels below.</p>
      <LabelsField {...props} />
    </>
  );
}

/** Shows the form. */
export function StatusPageForm(
  record: Pick<RecordFormProps<StatusPageDraft>, "storeKey" | "initial" | "cancelPath" | "save" | "reread">,
) {
  return (
    <RecordForm
      {...record}
      name="Status page"
      schema={createStatusPageSchema}
      widgets={WIDGETS}
      storable={(draft) => draft}
    >
      {() => (
        <section className="panel fields">
          <Fields fields={FIELDS} path={[]} />
        </section>
      )}
    </RecordForm>
  );
}

/** Returns the body of a draft: a component whose labels were all taken away has none. */
export function bodyOf(draft: object): object {
  const { components } = draft as { components?: { labels?: string[] }[] };
  return {
    ...draft,
    components: (components ?? []).map(({ labels, ...component }) => ({
      ...component,
      ...(labels !== undefined && labels.length > 0 && { labels }),
    })),
  };
}

/** Returns the fields of a stored page that the form has. */
export function draftOf({
  slug,
  title,
  description,
  components,
  isPublished,
  subscriptions,
}: Answer<typeof statusPageRoutes.get>["statusPage"]): StatusPageDraft {
  return { slug, title, description, components, isPublished, subscriptions };
}
