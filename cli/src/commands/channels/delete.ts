/** Deletes a notification channel, after a question: `svc channels delete`. One that is in use is a conflict. */
import { CHANNEL_ARGUMENT, getChannel } from "../../resources/channels/get-channel.ts";
import { deleteCommand } from "../../runtime/delete-command.ts";

/** Defines `svc channels delete`, which asks unless `--yes` is given. */
export const command = deleteCommand({
  path: "channels delete",
  summary: "delete a channel that no rule and no SLO names",
  kind: "channel",
  argument: CHANNEL_ARGUMENT,
  find: getChannel,
  send: (api, id) => api.deleteChannel(id),
});
