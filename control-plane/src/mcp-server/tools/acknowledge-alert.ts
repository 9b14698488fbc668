import { alertInstanceRoutes } from "@svc/contract";
import * as z from "zod";
import { acknowledgeInstance } from "../../alerting/instances/acknowledge-instance.ts";
import { alertIdInput } from "./inputs.ts";
import { defineTool } from "./tool.ts";

/** Acknowledges an alert. */
export const acknowledgeAlert = defineTool({
  type: "acknowledge_alert",
  title: "Acknowledge an alert",
  description:
    "Acknowledges an active alert: somebody is on it. Written into its history with the API key's name.",
  routes: [alertInstanceRoutes.acknowledge],
  input: z.strictObject({ alertId: alertIdInput }),
  async run({ ctx }, { alertId }) {
    await acknowledgeInstance(ctx, { id: alertId });
    return { summary: "The alert is acknowledged.", alertId, state: "acknowledged" };
  },
});
