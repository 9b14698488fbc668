/** The page on which an API spec is stored: a document of the reader's own, or one that the service fetches. */
import { createSpecSchema, pagePath, type specRoutes } from "@svc/contract";
import { useQueryClient } from "@tanstack/react-query";
import { request } from "../../api/request.ts";
import { fieldOf } from "../../forms/field-model.ts";
import { OneField } from "../../forms/fields.tsx";
import { RecordForm } from "../../forms/record-form.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { DocumentField } from "./document-field.tsx";
import "../../forms/forms.css";

const FORM = fieldOf(createSpecSchema);
const WIDGETS = { content: DocumentField };

/** Shows the form. */
export default function NewSpec() {
  const client = useQueryClient();
  const mayChange = useMayChange();
  const save = async (draft: Record<string, unknown>) => {
    const { spec } = await request<typeof specRoutes.create>("POST", "/api/specs", { body: draft as never });
    await client.invalidateQueries();
    say({ text: "Saved." });
    return pagePath("spec", { id: spec.id });
  };
  return (
    <Page title="New API spec">
      {mayChange ? (
        <RecordForm
          name="API spec"
          schema={createSpecSchema}
          storeKey="new API spec"
          initial={{ sourceType: "upload", content: "" }}
          cancelPath={pagePath("specs", {})}
          widgets={WIDGETS}
          // A document may be large, and an address may hold a credential.
          storable={({ content: _content, sourceUrl: _sourceUrl, ...rest }) => rest}
          save={save}
        >
          {() => (
            <section className="panel fields">
              <OneField field={FORM} path={[]} label="Document" />
            </section>
          )}
        </RecordForm>
      ) : (
        <p>You may see API specs, but not store any. Ask an owner of the team for the role of a member.</p>
      )}
    </Page>
  );
}
