/** The page of an alert policy: it is changed and deleted here, and shows the checks for which it holds. */
import { type alertPolicyRoutes, pagePath } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "wouter";
import { editedPolicyQuery } from "../../api/queries/rules.ts";
import { type Answer, request } from "../../api/request.ts";
import type { SaveOptions } from "../../forms/record-form.tsx";
import { CodeTabs } from "../../shell/code-tabs.tsx";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { conditionText } from "../../status/condition-text.ts";
import { countText } from "../../time/format.ts";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";
import { draftOfPolicy, PolicyForm } from "./form.tsx";
import { HeldChecks } from "./held-checks.tsx";

/** Shows the policy that the address names. */
export default function EditPolicy() {
  const { id = "" } = useParams<{ id: string }>();
  const params = { id };
  const client = useQueryClient();
  const mayChange = useMayChange();
  const query = useQuery(editedPolicyQuery(id));
  if (isNotFound(query.error)) return <NotFound title="Alert policy not found" />;
  const save = async (draft: object, { isOverwriting }: SaveOptions) => {
    await request<typeof alertPolicyRoutes.update>("PUT", "/api/alert-policies/:id", {
      params,
      body: draft as never,
      ...(!isOverwriting && { ifMatch: query.data?.etag }),
    });
    await client.invalidateQueries();
    say({ text: "Saved." });
    return pagePath("rules", {});
  };
  const reread = async () => {
    const { data } = await query.refetch();
    if (!data) throw new Error("The policy could not be read again; try it once more.");
    return draftOfPolicy(data.answer.policy);
  };
  return (
    <Loaded query={query}>
      {({ answer: { policy } }) => (
        <Page
          title={policy.name}
          actions={
            mayChange && (
              <DeleteButton
                what="alert policy"
                name={policy.name}
                goes="its rules go with it, and what is open of them is resolved."
                act={() =>
                  request<typeof alertPolicyRoutes.delete>("DELETE", "/api/alert-policies/:id", { params })
                }
                nextPath={pagePath("rules", {})}
              />
            )
          }
        >
          <CodeTabs name="Alert policy" title="Settings" kind="alertPolicy" id={id}>
            {mayChange ? (
              <PolicyForm
                storeKey={id}
                initial={draftOfPolicy(policy)}
                cancelPath={pagePath("rules", {})}
                save={save}
                reread={reread}
              />
            ) : (
              <Shown policy={policy} />
            )}
          </CodeTabs>
        </Page>
      )}
    </Loaded>
  );
}

/** Shows a policy to a reader who can't change it. */
function Shown({ policy }: { policy: Answer<typeof alertPolicyRoutes.get>["policy"] }) {
  const { labels, conditions, confirm, recovery, channelIds, enabled } = policy;
  return (
    <>
      <Panel title="Settings">
        <p>
          For checks with <Text>{labels.join(", ")}</Text>.{" "}
          {enabled ? "" : "It is off: no check has a rule of it. "}
          Fires when <Text>{conditions.map(conditionText).join(", and ")}</Text>.
        </p>
        <p>
          {confirm ? "A failure is confirmed by a second run first. " : ""}Recovers after{" "}
          {recovery.consecutiveSuccesses} in a row; notifies {countText(channelIds.length, "channel")}.
        </p>
      </Panel>
      <HeldChecks draft={{ labels, conditions }} />
    </>
  );
}
