/** The page on which a team secret is stored. */
import { createSecretSchema, pagePath, type secretRoutes } from "@svc/contract";
import { useQueryClient } from "@tanstack/react-query";
import { request } from "../../api/request.ts";
import { Fields } from "../../forms/fields.tsx";
import { shownFields } from "../../forms/record-fields.ts";
import { RecordForm } from "../../forms/record-form.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import "../../forms/forms.css";

const FIELDS = shownFields(createSecretSchema);

/** Shows the form. */
export default function NewSecret() {
  const client = useQueryClient();
  const mayChange = useMayChange();
  const save = async (draft: Record<string, unknown>) => {
    await request<typeof secretRoutes.create>("POST", "/api/secrets", { body: draft as never });
    await client.invalidateQueries();
    say({ text: "Saved." });
    return pagePath("secrets", {});
  };
  return (
    <Page title="New secret">
      {mayChange ? (
        <RecordForm
          name="Secret"
          schema={createSecretSchema}
          storeKey="new secret"
          initial={{ name: "", value: "" }}
          cancelPath={pagePath("secrets", {})}
          storable={({ name }) => ({ name, value: "" })}
          save={save}
        >
          {() => (
            <section className="panel fields">
              <Fields fields={FIELDS} path={[]} />
            </section>
          )}
        </RecordForm>
      ) : (
        <p>
          You may see the names of secrets, but not store any. Ask an owner of the team for the role of a
          member.
        </p>
      )}
    </Page>
  );
}
