/** The page on which a team secret gets another value. */
import { pagePath, type secretRoutes, updateSecretSchema } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "wouter";
import { secretsQuery } from "../../api/queries/team.ts";
import { request } from "../../api/request.ts";
import { Fields } from "../../forms/fields.tsx";
import { shownFields } from "../../forms/record-fields.ts";
import { RecordForm } from "../../forms/record-form.tsx";
import { NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { Loaded } from "../../ui/panel.tsx";
import "../../forms/forms.css";

const FIELDS = shownFields(updateSecretSchema);

/** Shows the form for the secret that the address names; what it holds now is not shown. */
export default function EditSecret() {
  const { id = "" } = useParams<{ id: string }>();
  const params = { id };
  const client = useQueryClient();
  const mayChange = useMayChange();
  const query = useQuery(secretsQuery);
  const save = async (draft: Record<string, unknown>) => {
    await request<typeof secretRoutes.update>("PUT", "/api/secrets/:id", { params, body: draft as never });
    await client.invalidateQueries();
    say({ text: "Saved. Runs have the new value within about a second." });
    return pagePath("secrets", {});
  };
  return (
    <Loaded query={query}>
      {({ secrets }) => {
        const found = secrets.find((one) => one.id === id);
        if (!found || !mayChange) return <NotFound title="Secret not found" />;
        return (
          <Page
            title={found.name}
            actions={
              <DeleteButton
                what="secret"
                name={found.name}
                goes="it can be deleted while no check refers to it."
                act={() => request<typeof secretRoutes.delete>("DELETE", "/api/secrets/:id", { params })}
                nextPath={pagePath("secrets", {})}
              />
            }
          >
            <RecordForm
              name="Secret"
              schema={updateSecretSchema}
              storeKey={id}
              initial={{ value: "" }}
              cancelPath={pagePath("secrets", {})}
              storable={() => ({ value: "" })}
              save={save}
            >
              {() => (
                <section className="panel fields">
                  <Fields fields={FIELDS} path={[]} />
                </section>
              )}
            </RecordForm>
          </Page>
        );
      }}
    </Loaded>
  );
}
