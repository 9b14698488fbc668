/** The page on which a check is made. */
import { type Check, type checkRoutes, type labelRoutes, pagePath } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearch } from "wouter";
import { duplicatedCheckQuery } from "../../api/queries/checks.ts";
import { type Answer, RequestError, request } from "../../api/request.ts";
import { pathText } from "../../forms/paths.ts";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { Loaded } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";
import { bodyOf, type CheckDraft, draftOf, newDraft } from "./body.ts";
import { copyOf, stillMissing } from "./copy.ts";
import { CheckEditor } from "./editor.tsx";
import { OtherWays } from "./other-ways.tsx";
import "../../forms/forms.css";

/** Shows the form for a new check, and the other ways to make one. `?from=chk_...` begins with what that check has. */
export default function NewCheck() {
  const mayChange = useMayChange();
  const from = new URLSearchParams(useSearch()).get("from");
  if (!mayChange)
    return (
      <Page title="New check">
        <p>You may see checks, but not make any. Ask an owner of the team for the role of a member.</p>
      </Page>
    );
  return from === null ? <BareCheck /> : <DuplicateCheck key={from} id={from} />;
}

function BareCheck() {
  const create = useCreate();
  return (
    <Page title="New check">
      <CheckEditor
        storeKey="new"
        initial={newDraft()}
        isNew
        cancelPath={pagePath("checks", {})}
        save={create}
      />
      <OtherWays />
    </Page>
  );
}

/** Shows the form with what another check has. */
function DuplicateCheck({ id }: { id: string }) {
  const query = useQuery(duplicatedCheckQuery(id));
  if (isNotFound(query.error)) return <NotFound title="Check not found" />;
  return <Loaded query={query}>{(original) => <Duplicate original={original} />}</Loaded>;
}

function Duplicate({
  original: { check, labels },
}: {
  original: { check: Answer<typeof checkRoutes.get>["check"]; labels: readonly string[] };
}) {
  const create = useCreate();
  const copy = useMemo(() => copyOf(draftOf(check, labels)), [check, labels]);
  const save = async (draft: CheckDraft) => {
    const missing = stillMissing(draft, copy);
    if (missing.length > 0) throw new RequestError(400, "A secret is missing.", { details: missing });
    return create(draft);
  };
  return (
    <Page title={`Duplicate ${check.name}`}>
      <div role="status" className="panel">
        <p>
          This makes another check with what <Text>{check.name}</Text> has
          {labels.length > 0 && (
            <>
              , its labels <Text>{labels.join(", ")}</Text> included
            </>
          )}
          . Alert rules and SLOs are not copied.
        </p>
        {copy.missing.length > 0 && (
          <>
            <p>Secrets are not copied. Give these anew:</p>
            <ul>
              {copy.missing.map(({ path }) => (
                <li key={pathText(path)}>
                  <Text>{pathText(path)}</Text>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
      <CheckEditor
        storeKey={`copy of ${check.id}`}
        initial={copy.draft}
        isNew
        cancelPath={pagePath("check", { id: check.id })}
        save={save}
      />
    </Page>
  );
}

/** Returns the function that makes a check, with its labels, and returns the path of its page. */
function useCreate() {
  const client = useQueryClient();
  return async (draft: CheckDraft): Promise<string> => {
    const { labels = [] } = draft;
    const { check } = await request<typeof checkRoutes.create>("POST", "/api/checks", {
      body: bodyOf(draft) as never,
    });
    const { id } = check as Check;
    const labelling =
      labels.length > 0 &&
      request<typeof labelRoutes.set>("PUT", "/api/checks/:id/labels", {
        params: { id },
        body: { labels },
      });
    // The check is there: what went wrong with its labels keeps nobody from it.
    const problem = await Promise.resolve(labelling).then(
      () => undefined,
      (error: Error) => error.message,
    );
    await client.invalidateQueries();
    if (problem === undefined) say({ text: "Saved. It runs now." });
    else say({ text: `Saved, but without its labels: ${problem}`, isProblem: true });
    return pagePath("check", { id });
  };
}
