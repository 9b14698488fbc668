/** The page on which the team's OpenTelemetry export is set up. */
import { pagePath, type telemetryRoutes, updateTelemetrySchema } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { editedTelemetryQuery } from "../../api/queries/service.ts";
import { request } from "../../api/request.ts";
import { Fields } from "../../forms/fields.tsx";
import { draftOfRecord, shownFields } from "../../forms/record-fields.ts";
import { RecordForm } from "../../forms/record-form.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { Loaded } from "../../ui/panel.tsx";
import "../../forms/forms.css";

const FIELDS = shownFields(updateTelemetrySchema).map((field) =>
  field.name === "caCertificate" ? { ...field, isRequired: false } : field,
);

/** Shows the form; the page of the export then tells how it is going. */
export default function EditTelemetry() {
  const client = useQueryClient();
  const mayChange = useMayChange();
  const query = useQuery(editedTelemetryQuery);
  const save = async (draft: Record<string, unknown>) => {
    await request<typeof telemetryRoutes.updateSettings>("PUT", "/api/telemetry", {
      body: { ...draft, headers: draft.headers ?? {}, caCertificate: draft.caCertificate ?? null } as never,
    });
    await client.invalidateQueries();
    say({ text: "Saved. Send a test to see that it arrives." });
    return pagePath("telemetry", {});
  };
  return (
    <Page title="Set up telemetry">
      {mayChange ? (
        <Loaded query={query}>
          {(settings) => (
            <RecordForm
              name="Telemetry"
              schema={updateTelemetrySchema}
              storeKey="telemetry"
              initial={{
                endpoint: "",
                ...draftOfRecord(FIELDS, settings),
                // Whoever sets it up for the first time wants it on.
                ...(settings.endpoint === null && { enabled: true }),
              }}
              cancelPath={pagePath("telemetry", {})}
              // A header or the address may hold a credential.
              storable={({ headers: _headers, endpoint: _endpoint, ...rest }) => rest}
              save={save}
            >
              {() => (
                <section className="panel fields">
                  <Fields fields={FIELDS} path={[]} />
                </section>
              )}
            </RecordForm>
          )}
        </Loaded>
      ) : (
        <p>You may see the export, but not change it. Ask an owner of the team for the role of a member.</p>
      )}
    </Page>
  );
}
