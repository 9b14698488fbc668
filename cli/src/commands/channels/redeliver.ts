/**
 * Makes one more attempt at a notification and waits for its end: `svc channels redeliver`. Not delivered is exit code 1.
 */
import { deliveryOutcome } from "../../resources/channels/describe.ts";
import { CHANNEL_ARGUMENT, getChannel } from "../../resources/channels/get-channel.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc channels redeliver`. The delivery id is that of any earlier attempt. */
export const command = defineCommand({
  summary: "make one more attempt at a notification; exit code 1 when it was not delivered",
  answers: async () => (await import("../../answers/channels.ts")).channelsDelivery,
  arguments: [CHANNEL_ARGUMENT, { name: "<delivery-id>", description: "id of an attempt at it" }],
  examples: ['channels redeliver "On call" del_...'],
  async run(context, _options, [typed, deliveryId]) {
    const api = context.api();
    const { id, name } = await getChannel(api, typed as string);
    context.out.progress(`Delivering to ${name} ...`);
    const { delivery } = await api.redeliver(id, deliveryId as string);
    return deliveryOutcome(name, delivery);
  },
});
