/** The page on which a status page is made. */
import { pagePath, type statusPageRoutes } from "@svc/contract";
import { useQueryClient } from "@tanstack/react-query";
import { request } from "../../api/request.ts";
import { useMayChange } from "../../shell/session.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { bodyOf, StatusPageForm } from "./form.tsx";

const INITIAL = {
  slug: "",
  title: "",
  description: "",
  components: [],
  isPublished: false,
  subscriptions: { email: false },
};

/** Shows the form. */
export default function NewStatusPage() {
  const client = useQueryClient();
  const mayChange = useMayChange();
  const save = async (draft: object) => {
    const { statusPage } = await request<typeof statusPageRoutes.create>("POST", "/api/status-pages", {
      body: bodyOf(draft) as never,
    });
    await client.invalidateQueries();
    say({ text: "Saved." });
    return pagePath("statusPage", { id: statusPage.id });
  };
  return (
    <Page title="New status page">
      {mayChange ? (
        <StatusPageForm
          storeKey="new status page"
          initial={INITIAL}
          cancelPath={pagePath("statusPages", {})}
          save={save}
        />
      ) : (
        <p>You may see status pages, but not make any. Ask an owner of the team for the role of a member.</p>
      )}
    </Page>
  );
}
