/** Shows a notification channel with its secrets masked: `svc channels get`. */
import { printFields, printSection } from "../../output/print-fields.ts";
import { ago } from "../../output/times.ts";
import { CHANNEL_ARGUMENT, getChannel } from "../../resources/channels/get-channel.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc channels get`; `data.channel` has the secrets masked, too. */
export const command = defineCommand({
  summary: "show a channel; what is secret in it stays hidden",
  answers: async () => (await import("../../answers/channels.ts")).channelsGet,
  arguments: [CHANNEL_ARGUMENT],
  examples: ['channels get "On call"', "channels get nch_... --json"],
  async run(context, _options, [typed]) {
    const channel = await getChannel(context.api(), typed as string);
    const nowMs = context.system.nowMs();
    return {
      data: { channel },
      print: (out) => {
        printFields(out, [
          ["Name", channel.name],
          ["Id", channel.id],
          ["Type", channel.type],
          ["Incident events", channel.incidentSubscribed ? "yes" : "no"],
          ["Created", ago(channel.createdAt, nowMs)],
          ["Updated", ago(channel.updatedAt, nowMs)],
        ]);
        printSection(out, "Configuration");
        out.line(out.block(JSON.stringify(out.secrets.redactDeep(channel.config), null, 2)));
      },
    };
  },
});
