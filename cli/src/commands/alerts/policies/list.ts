/** Lists the alert policies: `svc alerts policies list`. */
import { conditionsText } from "../../../resources/alerts/describe.ts";
import { defineCommand } from "../../../runtime/command.ts";

/** Defines `svc alerts policies list`, which answers all policies at once. */
export const command = defineCommand({
  summary: "list the alert policies: rules for all monitors that have certain labels",
  answers: async () => (await import("../../../answers/alerts.ts")).policiesList,
  examples: ["alerts policies list", "alerts policies list --json"],
  async run(context) {
    const policies = await context.api().listAlertPolicies();
    return {
      data: { policies },
      print: (out) => {
        if (policies.length === 0) out.info("No alert policies.");
        else
          out.table(
            [
              { title: "NAME", value: ({ name }) => name },
              { title: "LABELS", value: ({ labels }) => labels.join(", ") },
              { title: "STATE", value: ({ enabled }) => (enabled ? "enabled" : "disabled") },
              { title: "WHEN", value: conditionsText },
              { title: "MONITORS", value: ({ checkCount }) => String(checkCount), align: "right" },
              { title: "CHANNELS", value: ({ channelIds }) => String(channelIds.length), align: "right" },
              { title: "ID", value: ({ id }) => id },
            ],
            policies,
          );
      },
    };
  },
});
