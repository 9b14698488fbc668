/** Changes a notification channel, after a question: `svc channels edit`. Its type can't change. */
import { type Channel, splitConfigChannel, type UpdateChannel } from "@svc/contract";
import {
  CHANNEL_OPTIONS,
  type ChannelOptions,
  channelFields,
  channelOf,
} from "../../fragments/channel-options.ts";
import type { Fragment } from "../../fragments/read-fragment.ts";
import { pickNamed } from "../../lookup/pick-named.ts";
import { CHANNEL_ARGUMENT, getChannel } from "../../resources/channels/get-channel.ts";
import { generalError } from "../../runtime/cli-error.ts";
import { defineCommand } from "../../runtime/command.ts";
import { editedOutcome } from "../../runtime/edited-outcome.ts";

interface Options extends ChannelOptions {
  name?: string;
  yes?: boolean;
}

/** Defines `svc channels edit`. Fields that are not given stay as they are. */
export const command = defineCommand<Options>({
  summary: "change a channel's name or fields; its other fields stay",
  answers: async () => (await import("../../answers/channels.ts")).channelsEdit,
  arguments: [CHANNEL_ARGUMENT],
  options: [
    { flags: "--name <name>", description: "new name" },
    ...CHANNEL_OPTIONS,
    { flags: "--yes", description: "don't ask" },
  ],
  examples: [
    'channels edit "On call" --set "addresses=[night@example.org]" --yes',
    "channels edit Ops --name Operations",
  ],
  async run(context, options, [typed]) {
    const api = context.api();
    const before = pickNamed("channel", typed as string, await api.listChannels());
    const fields = channelFields(context, options);
    if (fields.type !== undefined && fields.type !== before.type)
      throw generalError(`a channel's type can't change; ${before.name} is of type ${before.type}`);
    const change = {
      ...(options.name === undefined ? {} : { name: options.name }),
      ...changesOf(before, fields),
    };
    return await editedOutcome(context, {
      kind: "channel",
      key: "channel",
      before: await getChannel(api, before.id),
      // Only the masked channel is ever shown, so the comparison happens by the service's own fields.
      present: { ...before, channel: before.config },
      change,
      hasAgreed: options.yes,
      send: async () => {
        await api.updateChannel(before.id, change as UpdateChannel);
        return await getChannel(api, before.id);
      },
    });
  },
});

/** Returns what the given fields ask for; the channel object, which a request replaces as a whole, only when one of its fields is given. */
function changesOf({ type, config }: Channel, fields: Fragment): UpdateChannel {
  const { channel, incident } = splitConfigChannel(channelOf({ ...config, ...fields, type }));
  const { incidentTemplate, incidentSubscribed, type: _type, ...others } = fields;
  return {
    ...(Object.keys(others).length > 0 ? { channel } : {}),
    ...(incidentTemplate === undefined ? {} : { incidentTemplate: incident?.incidentTemplate ?? null }),
    ...(incidentSubscribed === undefined ? {} : { incidentSubscribed: incident?.incidentSubscribed ?? true }),
  };
}
