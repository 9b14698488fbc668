/** The page of an alert rule: how near it is to firing, and the form by which it is changed. */
import { type alertRuleRoutes, pagePath } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "wouter";
import { checkQuery } from "../../api/queries/checks.ts";
import { editedRuleQuery, explanationQuery } from "../../api/queries/rules.ts";
import { type Answer, request } from "../../api/request.ts";
import type { SaveOptions } from "../../forms/record-form.tsx";
import { CodeTabs } from "../../shell/code-tabs.tsx";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { conditionText } from "../../status/condition-text.ts";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";
import { type RuleDraft, RuleForm } from "./form.tsx";

type Rule = Answer<typeof alertRuleRoutes.get>["alert"];

/** Shows the rule that the address names. One that an SLO or a policy generated is shown and not changed. */
export default function EditRule() {
  const { id = "" } = useParams<{ id: string }>();
  const params = { alertId: id };
  const client = useQueryClient();
  const mayChange = useMayChange();
  const query = useQuery(editedRuleQuery(id));
  if (isNotFound(query.error)) return <NotFound title="Alert rule not found" />;
  const save = async ({ checkId: _checkId, ...rule }: RuleDraft, { isOverwriting }: SaveOptions) => {
    await request<typeof alertRuleRoutes.update>("PUT", "/api/alerts/:alertId", {
      params,
      body: rule as never,
      ...(!isOverwriting && { ifMatch: query.data?.etag }),
    });
    await client.invalidateQueries();
    say({ text: "Saved." });
    return pagePath("rules", {});
  };
  const reread = async () => {
    const { data } = await query.refetch();
    if (!data) throw new Error("The rule could not be read again; try it once more.");
    return draftOf(data.answer.alert);
  };
  return (
    <Loaded query={query}>
      {({ answer: { alert: rule } }) => {
        const isEditable = mayChange && rule.sloId === null && rule.policyId === null;
        return (
          <Page
            title={rule.name ?? "Alert rule"}
            actions={
              isEditable && (
                <DeleteButton
                  what="alert rule"
                  name={rule.name ?? "Without a name"}
                  goes="what is open of it is resolved."
                  act={() =>
                    request<typeof alertRuleRoutes.delete>("DELETE", "/api/alerts/:alertId", { params })
                  }
                  nextPath={pagePath("rules", {})}
                />
              )
            }
          >
            <Standing rule={rule} />
            <CodeTabs name="Alert rule" title="Settings" kind="alertRule" id={id}>
              {isEditable ? (
                <RuleForm
                  isNew={false}
                  storeKey={id}
                  initial={draftOf(rule)}
                  cancelPath={pagePath("rules", {})}
                  save={save}
                  reread={reread}
                />
              ) : (
                <Shown rule={rule} />
              )}
            </CodeTabs>
          </Page>
        );
      }}
    </Loaded>
  );
}

/** Shows which conditions hold now, and what the others lack. */
function Standing({ rule }: { rule: Rule }) {
  const check = useQuery(checkQuery(rule.checkId)).data?.check;
  const explanation = useQuery(explanationQuery(rule.id, rule.checkId));
  return (
    <Panel title="Now">
      <p>
        About the check{" "}
        <PageLink page="check" parameters={{ id: rule.checkId }}>
          <Text>{check?.name ?? rule.checkId}</Text>
        </PageLink>
        {!rule.enabled && ". The rule is off: it fires nothing"}.
      </p>
      <Loaded query={explanation}>
        {({ conditions }) => (
          <ul className="plain" aria-label="Conditions now">
            {conditions.map(({ condition, holds, summary, missing }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: conditions are known by their position only
              <li key={index}>
                <strong>{holds ? "Holds" : "Does not hold"}</strong>: <Text>{conditionText(condition)}</Text>
                <div className="quiet">
                  <Text>{holds ? (summary ?? "") : `Missing: ${missing}`}</Text>
                </div>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}

/** Shows a rule that the reader can't change. */
function Shown({ rule: { sloId, policyId, confirm, recovery, channelIds } }: { rule: Rule }) {
  return (
    <Panel title="Settings">
      {sloId !== null && (
        <p>
          The rule belongs to{" "}
          <PageLink page="slo" parameters={{ id: sloId }}>
            its SLO
          </PageLink>
          , and follows it.
        </p>
      )}
      {policyId !== null && (
        <p>
          The rule belongs to{" "}
          <PageLink page="policy" parameters={{ id: policyId }}>
            its alert policy
          </PageLink>
          , and follows it.
        </p>
      )}
      <p>
        {confirm ? "A failure is confirmed by a second run first. " : ""}Recovers after{" "}
        {recovery.consecutiveSuccesses} in a row; notifies {channelIds.length} channels.
      </p>
    </Panel>
  );
}

/** Returns a stored rule as the body that would create it. */
function draftOf({ name, checkId, conditions, channelIds, confirm, recovery, enabled }: Rule): RuleDraft {
  return { name, checkId, conditions, channelIds, confirm, recovery, enabled };
}
