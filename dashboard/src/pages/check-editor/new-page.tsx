/** The page on which a check is made. */
import { type Check, type checkRoutes, pagePath } from "@svc/contract";
import { useQueryClient } from "@tanstack/react-query";
import { request } from "../../api/request.ts";
import { useMayChange } from "../../shell/session.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { newDraft } from "./body.ts";
import { CheckEditor } from "./editor.tsx";
import { OtherWays } from "./other-ways.tsx";
import "../../forms/forms.css";

/** Shows the form for a new check, and the other ways to make one. */
export default function NewCheck() {
  const client = useQueryClient();
  const mayChange = useMayChange();
  const save = async (draft: object) => {
    const { check } = await request<typeof checkRoutes.create>("POST", "/api/checks", {
      body: draft as never,
    });
    await client.invalidateQueries();
    say({ text: "Saved. It runs now." });
    return pagePath("check", { id: (check as Check).id });
  };
  return (
    <Page title="New check">
      {mayChange ? (
        <CheckEditor
          storeKey="new"
          initial={newDraft()}
          isNew
          cancelPath={pagePath("checks", {})}
          save={save}
        />
      ) : (
        <p>You may see checks, but not make any. Ask an owner of the team for the role of a member.</p>
      )}
      <OtherWays />
    </Page>
  );
}
