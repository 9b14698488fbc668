/** Sends a test notification and waits for its end: `svc channels test`. Not delivered is exit code 1. */
import { type TestChannel, testChannelSchema } from "@svc/contract";
import { deliveryOutcome } from "../../resources/channels/describe.ts";
import { CHANNEL_ARGUMENT, getChannel } from "../../resources/channels/get-channel.ts";
import { defineCommand } from "../../runtime/command.ts";

const EVENTS = testChannelSchema.shape.eventType.unwrap().options;

/** Defines `svc channels test`. The default event is the service's choice by the channel's type. */
export const command = defineCommand<{ event?: TestChannel["eventType"] }>({
  summary: "send a test notification and wait for its outcome; exit code 1 when it was not delivered",
  answers: async () => (await import("../../answers/channels.ts")).channelsDelivery,
  arguments: [CHANNEL_ARGUMENT],
  options: [{ flags: "--event <type>", description: "what it is to tell of", choices: EVENTS }],
  examples: ['channels test "On call"', "channels test nch_... --event recovered --json"],
  async run(context, { event }, [typed]) {
    const api = context.api();
    const { id, name } = await getChannel(api, typed as string);
    context.out.progress(`Sending a test to ${name} ...`);
    const { delivery } = await api.testChannel(id, event === undefined ? {} : { eventType: event });
    return deliveryOutcome(name, delivery);
  },
});
