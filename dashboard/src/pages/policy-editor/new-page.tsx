/** The page on which an alert policy is made. */
import { type alertPolicyRoutes, pagePath } from "@svc/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useSearchParams } from "wouter";
import { request } from "../../api/request.ts";
import { useMayChange } from "../../shell/session.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { PolicyForm } from "./form.tsx";

/** Shows the form; `?label=` names a label to begin with. */
export default function NewPolicy() {
  const client = useQueryClient();
  const mayChange = useMayChange();
  const [search] = useSearchParams();
  const save = async (draft: object) => {
    const { policy } = await request<typeof alertPolicyRoutes.create>("POST", "/api/alert-policies", {
      body: draft as never,
    });
    await client.invalidateQueries();
    say({ text: `Saved. It holds for ${policy.checkCount} checks now.` });
    return pagePath("rules", {});
  };
  const initial = {
    name: "",
    labels: search.getAll("label"),
    conditions: [{ type: "consecutive_failures", count: 2 }],
    channelIds: [],
    confirm: false,
    recovery: { consecutiveSuccesses: 1 },
    enabled: true,
  };
  return (
    <Page title="New alert policy">
      {mayChange ? (
        <PolicyForm
          storeKey="new alert policy"
          initial={initial}
          cancelPath={pagePath("rules", {})}
          save={save}
        />
      ) : (
        <p>
          You may see alert policies, but not make any. Ask an owner of the team for the role of a member.
        </p>
      )}
    </Page>
  );
}
