/** Lists alerts, newest first: `svc alerts list`. Without --all or --state only those that are not over. */
import { ALERT_STATES, type AlertState } from "@svc/contract";
import { type PageOptions, pageOptions } from "../../lookup/pages.ts";
import { instanceColumns } from "../../resources/alerts/describe.ts";
import { OPEN_STATES } from "../../resources/alerts/get-instance-id.ts";
import { getMonitor } from "../../resources/monitors/get-monitor.ts";
import { defineCommand } from "../../runtime/command.ts";
import { someOf } from "../../runtime/option-values.ts";

interface Options extends PageOptions {
  state?: AlertState[];
  all?: boolean;
  monitor?: string;
}

/** Defines `svc alerts list`. The service filters and pages. */
export const command = defineCommand<Options>({
  summary: "list the alerts that are not over, newest first",
  answers: async () => (await import("../../answers/alerts.ts")).alertsList,
  options: [
    { flags: "--all", description: "also those that are over" },
    {
      flags: "--state <states>",
      description: `only these, comma-separated: ${ALERT_STATES.join(", ")}`,
      parse: someOf("--state", ALERT_STATES),
    },
    { flags: "--monitor <name-or-id>", description: "only of this monitor" },
    ...pageOptions(),
  ],
  examples: ["alerts list", "alerts list --all --monitor Checkout", "alerts list --state active --json"],
  async run(context, { state, all, monitor, limit, offset = 0 }) {
    const api = context.api();
    const checkId = monitor === undefined ? undefined : (await getMonitor(api, monitor)).id;
    const states = state ?? (all ? undefined : OPEN_STATES);
    const { instances } = await api.listAlertInstances({
      limit,
      offset,
      ...(states && { state: states }),
      ...(checkId === undefined ? {} : { checkId }),
    });
    return {
      data: { alerts: instances, limit, offset },
      print: (out) => {
        if (instances.length === 0) out.info("No such alerts.");
        else out.table(instanceColumns(out.colors, context.system.nowMs()), instances);
      },
    };
  },
});
