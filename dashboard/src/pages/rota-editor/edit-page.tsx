/** The page of a rota: who is on duty now and next, and the form that changes it. */
import { pagePath, type rotaRoutes } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "wouter";
import { editedRotaQuery } from "../../api/queries/rotas.ts";
import { request } from "../../api/request.ts";
import type { SaveOptions } from "../../forms/record-form.tsx";
import { CodeTabs } from "../../shell/code-tabs.tsx";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { Loaded } from "../../ui/panel.tsx";
import { draftOfRota, type RotaDraft, RotaForm } from "./form.tsx";
import { Schedule } from "./schedule.tsx";

/** Shows the rota that the address names. */
export default function EditRota() {
  const { id = "" } = useParams<{ id: string }>();
  const params = { id };
  const client = useQueryClient();
  const mayChange = useMayChange();
  const query = useQuery(editedRotaQuery(id));
  if (isNotFound(query.error)) return <NotFound title="Rota not found" />;
  const save = async (draft: RotaDraft, { isOverwriting }: SaveOptions) => {
    await request<typeof rotaRoutes.update>("PUT", "/api/rotas/:id", {
      params,
      body: draft as never,
      ...(!isOverwriting && { ifMatch: query.data?.etag }),
    });
    await client.invalidateQueries();
    say({ text: "Saved." });
    return pagePath("rotas", {});
  };
  const reread = async () => {
    const { data } = await query.refetch();
    if (!data) throw new Error("The rota could not be read again; try it once more.");
    return draftOfRota(data.answer.rota);
  };
  return (
    <Loaded query={query}>
      {({ answer: { rota } }) => (
        <Page
          title={rota.name}
          actions={
            mayChange && (
              <DeleteButton
                what="rota"
                name={rota.name}
                goes="nobody is on duty by it any more. One that the incident policy names can't be deleted."
                act={() => request<typeof rotaRoutes.delete>("DELETE", "/api/rotas/:id", { params })}
                nextPath={pagePath("rotas", {})}
              />
            )
          }
        >
          <Schedule id={id} zone={rota.timezone} />
          <CodeTabs name="Rota" title="Settings" kind="rota" id={id}>
            {mayChange && (
              <RotaForm
                storeKey={id}
                initial={draftOfRota(rota)}
                cancelPath={pagePath("rotas", {})}
                save={save}
                reread={reread}
              />
            )}
          </CodeTabs>
        </Page>
      )}
    </Loaded>
  );
}
