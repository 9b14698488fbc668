/** The page on which a private location is changed. */
import { type locationRoutes, pagePath } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "wouter";
import { everyLocationQuery } from "../../api/queries/locations.ts";
import { request } from "../../api/request.ts";
import { NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { Loaded } from "../../ui/panel.tsx";
import { draftOfLocation, type LocationDraft, LocationForm } from "./form.tsx";

/** Shows the form with the location that the address names. */
export default function EditLocation() {
  const { id = "" } = useParams<{ id: string }>();
  const params = { id };
  const client = useQueryClient();
  const mayChange = useMayChange();
  const query = useQuery(everyLocationQuery);
  const save = async (draft: LocationDraft) => {
    await request<typeof locationRoutes.update>("PUT", "/api/locations/:id", {
      params,
      body: { ...draft, latitude: draft.latitude ?? null, longitude: draft.longitude ?? null } as never,
    });
    await client.invalidateQueries();
    say({ text: "Saved." });
    return pagePath("location", { id });
  };
  return (
    <Loaded query={query}>
      {({ locations }) => {
        const found = locations.find((one) => one.id === id && one.type === "private");
        if (!found || !mayChange) return <NotFound title="Private location not found" />;
        return (
          <Page
            title={`Edit ${found.displayName}`}
            actions={
              <DeleteButton
                what="private location"
                name={found.displayName}
                goes="its runner keys end, and its runners are not let in any more."
                asksName
                act={() => request<typeof locationRoutes.delete>("DELETE", "/api/locations/:id", { params })}
                nextPath={pagePath("locations", {})}
              />
            }
          >
            <LocationForm
              storeKey={id}
              initial={draftOfLocation(found)}
              cancelPath={pagePath("location", { id })}
              save={save}
            />
          </Page>
        );
      }}
    </Loaded>
  );
}
