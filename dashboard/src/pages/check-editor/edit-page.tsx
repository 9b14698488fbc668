/** The page on which a check is changed. */
import { type changeRoutes, type checkRoutes, type labelRoutes, pagePath } from "@svc/contract";
import { type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useParams, useSearch } from "wouter";
import { changesToUndoQuery, editedCheckQuery } from "../../api/queries/checks.ts";
import { summaryQuery } from "../../api/queries/summary.ts";
import { type Answer, request } from "../../api/request.ts";
import type { SaveOptions } from "../../forms/record-form.tsx";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { rowsOf } from "../../status/check-rows.ts";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { Loaded } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";
import { type CheckDraft, draftOf, updateOf } from "./body.ts";
import { CheckEditor } from "./editor.tsx";
import { restoredBefore } from "./restore.ts";
import { RestoreNote } from "./restore-note.tsx";
import "../../forms/forms.css";

/** True when two lists have the same entries, in any order. */
function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((entry) => other.includes(entry));
}

/** Shows the form with the check that the address names. `?before=chg_...` begins with its values from before that change. */
export default function EditCheck() {
  const { id = "" } = useParams<{ id: string }>();
  const client = useQueryClient();
  const mayChange = useMayChange();
  const query = useQuery(editedCheckQuery(id));
  const before = new URLSearchParams(useSearch()).get("before");
  // Read after the check, so that no change of what the form begins with is missing among them.
  const changes = useQuery({ ...changesToUndoQuery(id), enabled: before !== null && query.isSuccess });
  if (isNotFound(query.error)) return <NotFound title="Check not found" />;
  const save = async (draft: CheckDraft, { isOverwriting }: SaveOptions) => {
    await request<typeof checkRoutes.update>("PUT", "/api/checks/:id", {
      params: { id },
      query: { secrets: "masked" },
      body: updateOf(draft),
      ...(!isOverwriting && { ifMatch: query.data?.etag }),
    });
    const { labels = [] } = draft;
    if (!isSameSet(labels, query.data?.labels ?? []))
      await request<typeof labelRoutes.set>("PUT", "/api/checks/:id/labels", {
        params: { id },
        body: { labels },
      });
    await client.invalidateQueries();
    say({ text: "Saved." });
    return pagePath("check", { id });
  };
  const reread = async () => {
    const { data } = await query.refetch();
    if (!data) throw new Error("The check could not be read again; try it once more.");
    return draftOf(data.answer.check, data.labels);
  };
  return (
    <Loaded query={query}>
      {({ answer: { check }, labels }) => (
        <Page title={`Edit ${check.name}`}>
          <ManagedByCode id={id} />
          {mayChange ? (
            <Begin changes={before === null ? undefined : changes}>
              {(logged) => {
                const stored = draftOf(check, labels);
                const restored =
                  before !== null && logged ? restoredBefore(stored, logged, before) : undefined;
                return (
                  <>
                    {before !== null && (
                      <RestoreNote
                        stored={stored}
                        restored={restored}
                        change={logged?.find((one) => one.id === before)}
                      />
                    )}
                    <CheckEditor
                      key={before}
                      storeKey={id}
                      initial={stored}
                      proposed={restored?.draft}
                      isNew={false}
                      cancelPath={pagePath("check", { id })}
                      save={save}
                      reread={reread}
                    />
                  </>
                );
              }}
            </Begin>
          ) : (
            <p>You may see checks, but not change any. Ask an owner of the team for the role of a member.</p>
          )}
        </Page>
      )}
    </Loaded>
  );
}

type Changes = Answer<typeof changeRoutes.list>;

/** Shows the form once what it begins with is there. @param props.changes undefined: it begins with the check as it is */
function Begin({
  changes,
  children,
}: {
  changes: UseQueryResult<Changes> | undefined;
  children(logged: Changes["changes"] | undefined): ReactNode;
}) {
  return changes ? (
    <Loaded query={changes}>{(answer) => children(answer.changes)}</Loaded>
  ) : (
    children(undefined)
  );
}

/** Warns that a deploy will meet a change that is made here. */
function ManagedByCode({ id }: { id: string }) {
  const project = rowsOf(useQuery(summaryQuery).data ?? []).find((row) => row.id === id)?.project;
  if (project == null) return null;
  return (
    <p className="problem">
      Managed by project <Text>{project}</Text>: what you change here is drift. <code>svc diff</code> reports
      it and exits with 5, and <code>svc deploy</code> refuses to overwrite it until the change is in the
      config, too: <code>svc pull</code> writes it there.
    </p>
  );
}
