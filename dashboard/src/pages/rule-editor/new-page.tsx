/** The page on which an alert rule is made. */
import { type alertRuleRoutes, pagePath } from "@svc/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useSearchParams } from "wouter";
import { request } from "../../api/request.ts";
import { useMayChange } from "../../shell/session.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { type RuleDraft, RuleForm } from "./form.tsx";

/** Shows the form; `?check=` names the check that it is about. */
export default function NewRule() {
  const client = useQueryClient();
  const mayChange = useMayChange();
  const [search] = useSearchParams();
  const checkId = search.get("check");
  const save = async ({ checkId: id, ...rule }: RuleDraft) => {
    await request<typeof alertRuleRoutes.create>("POST", "/api/checks/:id/alerts", {
      params: { id: String(id) },
      body: rule as never,
    });
    await client.invalidateQueries();
    say({ text: "Saved." });
    return checkId ? `${pagePath("check", { id: checkId })}?tab=alerts` : pagePath("rules", {});
  };
  const initial = {
    name: null,
    ...(checkId && { checkId }),
    conditions: [{ type: "consecutive_failures", count: 2 }],
    channelIds: [],
    confirm: false,
    recovery: { consecutiveSuccesses: 1 },
    enabled: true,
  };
  return (
    <Page title="New alert rule">
      {mayChange ? (
        <RuleForm
          isNew
          storeKey="new alert rule"
          initial={initial}
          cancelPath={checkId ? pagePath("check", { id: checkId }) : pagePath("rules", {})}
          save={save}
        />
      ) : (
        <p>You may see alert rules, but not make any. Ask an owner of the team for the role of a member.</p>
      )}
    </Page>
  );
}
