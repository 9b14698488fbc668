/** The page of a maintenance window, on which it is changed. */
import { type maintenanceWindowRoutes, pagePath } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "wouter";
import { editedWindowQuery } from "../../api/queries/records.ts";
import { type Answer, request } from "../../api/request.ts";
import type { SaveOptions } from "../../forms/record-form.tsx";
import { CodeTabs } from "../../shell/code-tabs.tsx";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { wallInputText } from "../../time/format.ts";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { Loaded } from "../../ui/panel.tsx";
import { type WindowDraft, WindowForm } from "./form.tsx";

/** Shows the form with the window that the address names. */
export default function EditWindow() {
  const { id = "" } = useParams<{ id: string }>();
  const params = { id };
  const client = useQueryClient();
  const mayChange = useMayChange();
  const query = useQuery(editedWindowQuery(id));
  if (isNotFound(query.error)) return <NotFound title="Maintenance window not found" />;
  const save = async (draft: WindowDraft, { isOverwriting }: SaveOptions) => {
    await request<typeof maintenanceWindowRoutes.update>("PUT", "/api/maintenance-windows/:id", {
      params,
      body: { ...draft, recurrenceRule: draft.recurrenceRule ?? null } as never,
      ...(!isOverwriting && { ifMatch: query.data?.etag }),
    });
    await client.invalidateQueries();
    say({ text: "Saved." });
    return pagePath("maintenance", {});
  };
  const reread = async () => {
    const { data } = await query.refetch();
    if (!data) throw new Error("The window could not be read again; try it once more.");
    return draftOf(data.answer.maintenanceWindow);
  };
  return (
    <Loaded query={query}>
      {({ answer: { maintenanceWindow: window } }) => (
        <Page
          title={window.name}
          actions={
            mayChange && (
              <DeleteButton
                what="maintenance window"
                name={window.name}
                goes={window.active ? "it holds now, and ends at once." : "it does not hold any more."}
                act={() =>
                  request<typeof maintenanceWindowRoutes.delete>("DELETE", "/api/maintenance-windows/:id", {
                    params,
                  })
                }
                nextPath={pagePath("maintenance", {})}
              />
            )
          }
        >
          <CodeTabs name="Maintenance window" title="Settings" kind="maintenanceWindow" id={id}>
            {mayChange ? (
              <WindowForm
                storeKey={id}
                initial={draftOf(window)}
                cancelPath={pagePath("maintenance", {})}
                save={save}
                reread={reread}
              />
            ) : (
              <p>
                You may see maintenance windows, but not change any. Ask an owner of the team for the role of
                a member.
              </p>
            )}
          </CodeTabs>
        </Page>
      )}
    </Loaded>
  );
}

/** Returns a stored window as the body that would create it, its instants as wall time in its zone. */
function draftOf(window: Answer<typeof maintenanceWindowRoutes.get>["maintenanceWindow"]): WindowDraft {
  const { name, mode, checkIds, startsAt, endsAt, recurring, recurrenceRule, timezone } = window;
  return {
    name,
    mode,
    checkIds,
    startsAt: wallInputText(startsAt, timezone),
    endsAt: wallInputText(endsAt, timezone),
    timezone,
    ...(recurrenceRule !== null && { recurring, recurrenceRule }),
  };
}
