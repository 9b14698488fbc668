/** The page of the incident policy: whom to notify when nobody acknowledges an incident. */
import { type incidentRoutes, pagePath, setIncidentPolicySchema } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { incidentPolicyQuery } from "../../api/queries/rotas.ts";
import { type Answer, request } from "../../api/request.ts";
import { fieldOf } from "../../forms/field-model.ts";
import { Fields } from "../../forms/fields.tsx";
import { ChannelsField } from "../../forms/pickers.tsx";
import { RecordForm, type SaveOptions } from "../../forms/record-form.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { countText } from "../../time/format.ts";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { RotaField } from "./rota-field.tsx";
import "../../forms/forms.css";

const FORM = fieldOf(setIncidentPolicySchema);
const WIDGETS = { "steps.channelIds": ChannelsField, "steps.rotaId": RotaField };

type Policy = Answer<typeof incidentRoutes.getPolicy>["incidentPolicy"];

/** Returns what the form edits. */
function draftOf({ steps }: Policy): Record<string, unknown> {
  return { steps };
}

/** Shows the policy; without steps there is none. */
export default function IncidentPolicy() {
  const client = useQueryClient();
  const mayChange = useMayChange();
  const query = useQuery(incidentPolicyQuery);
  const save = async (draft: object, { isOverwriting }: SaveOptions) => {
    await request<typeof incidentRoutes.setPolicy>("PUT", "/api/incident-policy", {
      body: draft as never,
      ...(!isOverwriting && { ifMatch: query.data?.etag }),
    });
    await client.invalidateQueries();
    say({ text: "Saved." });
    return pagePath("rotas", {});
  };
  const reread = async () => {
    const { data } = await query.refetch();
    if (!data) throw new Error("The policy could not be read again; try it once more.");
    return draftOf(data.answer.incidentPolicy);
  };
  return (
    <Page title="Incident policy">
      <Loaded query={query}>
        {({ answer: { incidentPolicy } }) =>
          mayChange ? (
            <RecordForm
              name="Incident policy"
              schema={setIncidentPolicySchema}
              storeKey="incident policy"
              initial={draftOf(incidentPolicy)}
              cancelPath={pagePath("rotas", {})}
              widgets={WIDGETS}
              storable={(draft) => draft}
              save={save}
              reread={reread}
            >
              {() => (
                <section className="panel fields">
                  <p>
                    While an incident is open and nobody acknowledges it, each step notifies its channels, and
                    whoever is on duty of its rota, once its minutes are over. Without steps nobody is
                    notified.
                  </p>
                  {FORM.kind === "group" && <Fields fields={FORM.fields} path={[]} />}
                </section>
              )}
            </RecordForm>
          ) : (
            <Shown steps={incidentPolicy.steps} />
          )
        }
      </Loaded>
    </Page>
  );
}

/** Shows the steps to a reader who can't change them. */
function Shown({ steps }: Pick<Policy, "steps">) {
  return (
    <Panel title="Steps">
      {steps.length === 0 && <p>Nobody is notified when nobody acknowledges an incident.</p>}
      <ol className="plain">
        {steps.map(({ afterMinutes, channelIds, rotaId }) => (
          <li key={afterMinutes}>
            After {afterMinutes} min: {countText(channelIds.length, "channel")}
            {rotaId !== undefined && ", and whoever is on duty"}
          </li>
        ))}
      </ol>
    </Panel>
  );
}
