/** The page on which a private location is made. */
import { type locationRoutes, pagePath } from "@svc/contract";
import { useQueryClient } from "@tanstack/react-query";
import { request } from "../../api/request.ts";
import { useMayChange } from "../../shell/session.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { type LocationDraft, LocationForm } from "./form.tsx";

/** Shows the form. The page of the location then says how to connect a runner. */
export default function NewLocation() {
  const client = useQueryClient();
  const mayChange = useMayChange();
  const save = async (draft: LocationDraft) => {
    const { location } = await request<typeof locationRoutes.create>("POST", "/api/locations", {
      body: draft as never,
    });
    await client.invalidateQueries();
    say({ text: "Saved. Add a runner next." });
    return pagePath("location", { id: location.id });
  };
  return (
    <Page title="New private location">
      {mayChange ? (
        <LocationForm
          storeKey="new location"
          initial={{ name: "", channelIds: [] }}
          cancelPath={pagePath("locations", {})}
          save={save}
        />
      ) : (
        <p>You may see locations, but not make any. Ask an owner of the team for the role of a member.</p>
      )}
    </Page>
  );
}
