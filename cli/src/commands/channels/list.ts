/** Lists the notification channels and where they lead, secrets masked: `svc channels list`. */
import { ago } from "../../output/times.ts";
import { destinationOf } from "../../resources/channels/describe.ts";
import { listMaskedChannels } from "../../resources/channels/get-channel.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc channels list`; `data.channels` has the secrets masked, too. */
export const command = defineCommand({
  summary: "list the notification channels",
  answers: async () => (await import("../../answers/channels.ts")).channelsList,
  examples: ["channels list", "channels list --json"],
  async run(context) {
    const channels = await listMaskedChannels(context.api());
    const nowMs = context.system.nowMs();
    return {
      data: { channels },
      print: (out) => {
        if (channels.length === 0) out.info("No channels. Describe one in svc.config.yaml: alertChannels.");
        else
          out.table(
            [
              { title: "NAME", value: ({ name }) => name },
              { title: "TYPE", value: ({ type }) => type },
              { title: "TO", value: destinationOf },
              { title: "UPDATED", value: ({ updatedAt, createdAt }) => ago(updatedAt ?? createdAt, nowMs) },
              { title: "ID", value: ({ id }) => id },
            ],
            channels,
          );
      },
    };
  },
});
