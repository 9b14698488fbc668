/** Lists the alert rules that people wrote, of all monitors or of one: `svc alerts rules list`. */
import { conditionsText } from "../../../resources/alerts/describe.ts";
import { listRules } from "../../../resources/alerts/list-rules.ts";
import { getMonitor } from "../../../resources/monitors/get-monitor.ts";
import { defineCommand } from "../../../runtime/command.ts";

/** Defines `svc alerts rules list`. `--monitor` filters here, after all rules were read. */
export const command = defineCommand<{ monitor?: string }>({
  summary: "list the alert rules that people wrote",
  answers: async () => (await import("../../../answers/alerts.ts")).rulesList,
  options: [{ flags: "--monitor <name-or-id>", description: "only of this monitor" }],
  examples: ["alerts rules list", "alerts rules list --monitor Checkout --json"],
  async run(context, { monitor }) {
    const api = context.api();
    const checkId = monitor === undefined ? undefined : (await getMonitor(api, monitor)).id;
    const rules = (await listRules(api)).filter((rule) => checkId === undefined || rule.checkId === checkId);
    return {
      data: { rules },
      print: (out) => {
        if (rules.length === 0) out.info("No such alert rules.");
        else
          out.table(
            [
              { title: "NAME", value: ({ name }) => name ?? "-" },
              { title: "MONITOR", value: ({ checkName }) => checkName ?? "-" },
              { title: "STATE", value: ({ enabled }) => (enabled ? "enabled" : "disabled") },
              { title: "WHEN", value: conditionsText },
              { title: "CHANNELS", value: ({ channelIds }) => String(channelIds.length), align: "right" },
              { title: "ID", value: ({ id }) => id },
            ],
            rules,
          );
      },
    };
  },
});
