/** The page of a status page: it is changed and deleted here, and has its notices. */
import { pagePath, type statusPageRoutes } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "wouter";
import { editedStatusPageQuery } from "../../api/queries/status-pages.ts";
import { request } from "../../api/request.ts";
import type { SaveOptions } from "../../forms/record-form.tsx";
import { CodeTabs } from "../../shell/code-tabs.tsx";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { Loaded } from "../../ui/panel.tsx";
import { bodyOf, draftOf, StatusPageForm } from "./form.tsx";
import { Notices } from "./notices.tsx";
import { Subscribers } from "./subscribers.tsx";

/** Shows the form with the status page that the address names, and its notices. */
export default function EditStatusPage() {
  const { id = "" } = useParams<{ id: string }>();
  const params = { id };
  const client = useQueryClient();
  const mayChange = useMayChange();
  const query = useQuery(editedStatusPageQuery(id));
  if (isNotFound(query.error)) return <NotFound title="Status page not found" />;
  const save = async (draft: object, { isOverwriting }: SaveOptions) => {
    await request<typeof statusPageRoutes.update>("PUT", "/api/status-pages/:id", {
      params,
      body: bodyOf(draft) as never,
      ...(!isOverwriting && { ifMatch: query.data?.etag }),
    });
    await client.invalidateQueries();
    say({ text: "Saved. The page shows it within 10 seconds." });
    return pagePath("statusPages", {});
  };
  const reread = async () => {
    const { data } = await query.refetch();
    if (!data) throw new Error("The status page could not be read again; try it once more.");
    return draftOf(data.answer.statusPage);
  };
  return (
    <Loaded query={query}>
      {({ answer: { statusPage } }) => (
        <Page
          title={statusPage.title}
          actions={
            <>
              {statusPage.isPublished && (
                <a className="button" href={`/status/${statusPage.slug}`} target="_blank" rel="noopener">
                  Open the page
                </a>
              )}
              {mayChange && (
                <DeleteButton
                  what="status page"
                  name={statusPage.title}
                  goes="nobody can read it any more, and its notices and subscribers go with it."
                  act={() =>
                    request<typeof statusPageRoutes.delete>("DELETE", "/api/status-pages/:id", { params })
                  }
                  nextPath={pagePath("statusPages", {})}
                />
              )}
            </>
          }
        >
          <Notices id={id} mayChange={mayChange} />
          {mayChange && <Subscribers id={id} count={statusPage.subscriberCount} />}
          <CodeTabs name="Status page" title="Settings" kind="statusPage" id={id}>
            {mayChange ? (
              <StatusPageForm
                storeKey={id}
                initial={draftOf(statusPage)}
                cancelPath={pagePath("statusPages", {})}
                save={save}
                reread={reread}
              />
            ) : (
              <p>
                You may see status pages, but not change any. Ask an owner of the team for the role of a
                member.
              </p>
            )}
          </CodeTabs>
        </Page>
      )}
    </Loaded>
  );
}
