/** Shows who is sent the report of each month: `svc reports recipients get`. */
import { listMaskedChannels } from "../../../resources/channels/get-channel.ts";
import { recipientsPrinter } from "../../../resources/reports/describe.ts";
import { defineCommand } from "../../../runtime/command.ts";

/** Defines `svc reports recipients get`. */
export const command = defineCommand({
  summary: "show which channels are sent the report of each month",
  answers: async () => (await import("../../../answers/reports.ts")).reportsRecipients,
  examples: ["reports recipients get", "reports recipients get --json"],
  async run(context) {
    const api = context.api();
    const reportSubscription = await api.getReportSubscription();
    const channels = reportSubscription.channelIds.length === 0 ? [] : await listMaskedChannels(api);
    return { data: { reportSubscription }, print: recipientsPrinter(reportSubscription, channels) };
  },
});
