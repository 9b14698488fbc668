/** The page on which a maintenance window is made. */
import { type maintenanceWindowRoutes, pagePath } from "@svc/contract";
import { useQueryClient } from "@tanstack/react-query";
import { request } from "../../api/request.ts";
import { timeZone } from "../../preferences/preferences.ts";
import { useMayChange } from "../../shell/session.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { WindowForm } from "./form.tsx";

/** Shows the form. */
export default function NewWindow() {
  const client = useQueryClient();
  const mayChange = useMayChange();
  const save = async (draft: object) => {
    await request<typeof maintenanceWindowRoutes.create>("POST", "/api/maintenance-windows", {
      body: draft as never,
    });
    await client.invalidateQueries();
    say({ text: "Saved." });
    return pagePath("maintenance", {});
  };
  const initial = {
    name: "",
    mode: "pause",
    checkIds: "all",
    startsAt: "",
    endsAt: "",
    timezone: timeZone(),
  };
  return (
    <Page title="New maintenance window">
      {mayChange ? (
        <WindowForm
          storeKey="new maintenance window"
          initial={initial}
          cancelPath={pagePath("maintenance", {})}
          save={save}
        />
      ) : (
        <p>
          You may see maintenance windows, but not make any. Ask an owner of the team for the role of a
          member.
        </p>
      )}
    </Page>
  );
}
