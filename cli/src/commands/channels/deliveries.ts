/** Lists the attempts to deliver to a channel, newest first: `svc channels deliveries`. */
import { type PageOptions, pageOptions } from "../../lookup/pages.ts";
import { deliveryColumns } from "../../resources/channels/describe.ts";
import { CHANNEL_ARGUMENT, getChannel } from "../../resources/channels/get-channel.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc channels deliveries`. The service pages. */
export const command = defineCommand<PageOptions>({
  summary: "list the attempts to deliver to a channel, newest first",
  answers: async () => (await import("../../answers/channels.ts")).channelsDeliveries,
  arguments: [CHANNEL_ARGUMENT],
  options: pageOptions(),
  examples: ['channels deliveries "On call"', "channels deliveries nch_... --limit 100 --json"],
  async run(context, { limit, offset = 0 }, [typed]) {
    const api = context.api();
    const { id } = await getChannel(api, typed as string);
    const { deliveries } = await api.listDeliveries(id, { limit, offset });
    return {
      data: { deliveries, limit, offset },
      print: (out) => {
        if (deliveries.length === 0) out.info("Nothing was sent to this channel.");
        else out.table(deliveryColumns(out.colors, context.system.nowMs()), deliveries);
      },
    };
  },
});
