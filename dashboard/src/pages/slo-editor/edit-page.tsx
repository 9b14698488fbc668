/** The page on which an SLO is changed. */
import { pagePath, type sloRoutes } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "wouter";
import { editedSloQuery } from "../../api/queries/slos.ts";
import { request } from "../../api/request.ts";
import type { SaveOptions } from "../../forms/record-form.tsx";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { Loaded } from "../../ui/panel.tsx";
import { draftOfSlo, SloForm } from "./form.tsx";

/** Shows the form with the SLO that the address names. */
export default function EditSlo() {
  const { id = "" } = useParams<{ id: string }>();
  const client = useQueryClient();
  const mayChange = useMayChange();
  const query = useQuery(editedSloQuery(id));
  if (isNotFound(query.error)) return <NotFound title="SLO not found" />;
  const save = async (draft: object, { isOverwriting }: SaveOptions) => {
    await request<typeof sloRoutes.update>("PUT", "/api/slos/:id", {
      params: { id },
      body: draft as never,
      ...(!isOverwriting && { ifMatch: query.data?.etag }),
    });
    await client.invalidateQueries();
    say({ text: "Saved." });
    return pagePath("slo", { id });
  };
  const reread = async () => {
    const { data } = await query.refetch();
    if (!data) throw new Error("The SLO could not be read again; try it once more.");
    return draftOfSlo(data.answer.slo);
  };
  return (
    <Loaded query={query}>
      {({ answer: { slo } }) => (
        <Page title={`Edit ${slo.name}`}>
          {mayChange ? (
            <SloForm
              storeKey={id}
              initial={draftOfSlo(slo)}
              cancelPath={pagePath("slo", { id })}
              save={save}
              reread={reread}
            />
          ) : (
            <p>You may see SLOs, but not change any. Ask an owner of the team for the role of a member.</p>
          )}
        </Page>
      )}
    </Loaded>
  );
}
