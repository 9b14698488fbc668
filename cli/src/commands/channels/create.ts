/** Creates a notification channel: `svc channels create`. */
import { type CreateChannel, channelTypes, splitConfigChannel } from "@svc/contract";
import {
  CHANNEL_OPTIONS,
  type ChannelOptions,
  channelFields,
  channelOf,
} from "../../fragments/channel-options.ts";
import { getChannel } from "../../resources/channels/get-channel.ts";
import { defineCommand } from "../../runtime/command.ts";

interface Options extends ChannelOptions {
  type?: string;
}

/** Defines `svc channels create`. Flags win over the fields of `--file`. */
export const command = defineCommand<Options>({
  summary: "create a notification channel",
  answers: async () => (await import("../../answers/channels.ts")).channelsCreate,
  arguments: [{ name: "<name>", description: "its name" }],
  options: [
    {
      flags: "--type <type>",
      description: "type (required unless the file has it)",
      choices: channelTypes.types,
    },
    ...CHANNEL_OPTIONS,
  ],
  examples: [
    `channels create "On call" --type email --set "addresses=[ops@example.org]"`,
    'channels create Ops --type chat --set "webhookUrl={{secrets.CHAT_URL}}"',
    "channels create Ops --file channel.yaml",
  ],
  async run(context, options, [name]) {
    const fields = channelFields(context, options);
    const { channel, incident } = splitConfigChannel(
      channelOf(options.type === undefined ? fields : { ...fields, type: options.type }),
    );
    const api = context.api();
    const { id } = await api.createChannel({ name: name as string, channel } as CreateChannel);
    // The creation of a channel takes only its name and its object.
    if (incident && (incident.incidentTemplate !== null || !incident.incidentSubscribed))
      await api.updateChannel(id, incident);
    return {
      data: { channel: await getChannel(api, id) },
      print: (out) =>
        out.line(`Created ${out.text(name as string)} (${id}). Try it: svc channels test ${id}`),
    };
  },
});
