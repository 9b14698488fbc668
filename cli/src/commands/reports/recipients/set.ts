/** Sets who is sent the report of each month: `svc reports recipients set`. */
import { pickNamed } from "../../../lookup/pick-named.ts";
import { listMaskedChannels } from "../../../resources/channels/get-channel.ts";
import { recipientsPrinter } from "../../../resources/reports/describe.ts";
import { generalError } from "../../../runtime/cli-error.ts";
import { defineCommand } from "../../../runtime/command.ts";

interface Options {
  channel?: string[];
  none?: boolean;
}

/** Defines `svc reports recipients set`, which replaces all recipients. */
export const command = defineCommand<Options>({
  summary: "set which email channels are sent the report of each month",
  answers: async () => (await import("../../../answers/reports.ts")).reportsRecipients,
  options: [
    {
      flags: "--channel <channel>",
      description: "name or id of an email channel; may be repeated",
      repeats: true,
    },
    { flags: "--none", description: "send reports to nobody" },
  ],
  examples: ["reports recipients set --channel Management", "reports recipients set --none"],
  async run(context, { channel, none }) {
    if ((channel === undefined) === !none)
      throw generalError("give --channel, once or several times, or --none");
    const api = context.api({ outlivesInterruption: true });
    const channels = channel ? await listMaskedChannels(api) : [];
    const channelIds = [...new Set((channel ?? []).map((typed) => pickNamed("channel", typed, channels).id))];
    const reportSubscription = await api.setReportSubscription({ channelIds });
    return { data: { reportSubscription }, print: recipientsPrinter(reportSubscription, channels) };
  },
});
