/** The page on which a channel is changed. */
import { type channelRoutes, pagePath } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "wouter";
import { editedChannelQuery } from "../../api/queries/channels.ts";
import { type Answer, request } from "../../api/request.ts";
import type { SaveOptions } from "../../forms/record-form.tsx";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { Loaded } from "../../ui/panel.tsx";
import { type ChannelDraft, ChannelForm } from "./form.tsx";

/** Shows the form with the channel that the address names. */
export default function EditChannel() {
  const { id = "" } = useParams<{ id: string }>();
  const client = useQueryClient();
  const mayChange = useMayChange();
  const query = useQuery(editedChannelQuery(id));
  if (isNotFound(query.error)) return <NotFound title="Channel not found" />;
  const save = async (draft: object, { isOverwriting }: SaveOptions) => {
    await request<typeof channelRoutes.update>("PUT", "/api/notification-channels/:id", {
      params: { id },
      body: draft as never,
      ...(!isOverwriting && { ifMatch: query.data?.etag }),
    });
    await client.invalidateQueries();
    say({ text: "Saved." });
    return pagePath("channel", { id });
  };
  const reread = async () => {
    const { data } = await query.refetch();
    if (!data) throw new Error("The channel could not be read again; try it once more.");
    return draftOf(data.answer.channel);
  };
  return (
    <Loaded query={query}>
      {({ answer: { channel } }) => (
        <Page title={`Edit ${channel.name}`}>
          {mayChange ? (
            <ChannelForm
              isNew={false}
              storeKey={id}
              initial={draftOf(channel)}
              cancelPath={pagePath("channel", { id })}
              save={save}
              reread={reread}
            />
          ) : (
            <p>
              You may see channels, but not change any. Ask an owner of the team for the role of a member.
            </p>
          )}
        </Page>
      )}
    </Loaded>
  );
}

/** Returns a stored channel as the body that would change it to itself. */
function draftOf({
  name,
  config,
  incidentTemplate,
  incidentSubscribed,
}: Answer<typeof channelRoutes.get>["channel"]): ChannelDraft {
  return {
    name,
    channel: config,
    ...(incidentTemplate && { incidentTemplate }),
    ...(incidentSubscribed !== undefined && { incidentSubscribed }),
  };
}
