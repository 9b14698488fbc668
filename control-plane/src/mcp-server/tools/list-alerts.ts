import { ALERT_STATES, type AlertInstanceSummary, alertInstanceRoutes, SEVERITIES } from "@svc/contract";
import * as z from "zod";
import { listInstances } from "../../alerting/instances/list-instances.ts";
import { readPage } from "../answers/page.ts";
import { alertLine } from "../views/alert-view.ts";
import { checkIdInput, pageInput, rangeInput } from "./inputs.ts";
import { defineTool } from "./tool.ts";

/** Lists alerts. */
export const listAlerts = defineTool({
  type: "list_alerts",
  title: "List alerts",
  description:
    "Lists alerts (occurrences of alert rules), newest first; by state, severity, check, label or time. Open ones are active or acknowledged.",
  routes: [alertInstanceRoutes.list],
  input: z.strictObject({
    state: z.array(z.enum(ALERT_STATES)).min(1).max(4).optional(),
    severity: z.array(z.enum(SEVERITIES)).min(1).max(3).optional(),
    checkId: checkIdInput.optional(),
    label: z.string().max(200).optional().describe("Only alerts of checks that have this label now."),
    ...rangeInput,
    ...pageInput,
  }),
  async run({ ctx }, { limit, next, ...filter }) {
    const list = listInstances(ctx, filter);
    const page = await readPage({
      list,
      limit,
      next,
      view: (alert: AlertInstanceSummary) => alertLine(alert),
    });
    return { summary: `${page.records.length} alerts, newest first.`, alerts: page.records, next: page.next };
  },
});
