/** The page on which a channel is made. */
import { type channelRoutes, pagePath } from "@svc/contract";
import { useQueryClient } from "@tanstack/react-query";
import { request } from "../../api/request.ts";
import { useMayChange } from "../../shell/session.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { ChannelForm } from "./form.tsx";

const INITIAL = { name: "", channel: { type: "webhook", url: "" } };

/** Shows the form. */
export default function NewChannel() {
  const client = useQueryClient();
  const mayChange = useMayChange();
  const save = async (draft: object) => {
    const { channel } = await request<typeof channelRoutes.create>("POST", "/api/notification-channels", {
      body: draft as never,
    });
    await client.invalidateQueries();
    say({ text: "Saved. Send a test to see that it arrives." });
    return pagePath("channel", { id: channel.id });
  };
  return (
    <Page title="New channel">
      {mayChange ? (
        <ChannelForm
          isNew
          storeKey="new channel"
          initial={INITIAL}
          cancelPath={pagePath("channels", {})}
          save={save}
        />
      ) : (
        <p>You may see channels, but not make any. Ask an owner of the team for the role of a member.</p>
      )}
    </Page>
  );
}
