import { alertInstanceRoutes } from "@svc/contract";
import * as z from "zod";
import { unmuteInstance } from "../../alerting/instances/unmute-instance.ts";
import { alertIdInput } from "./inputs.ts";
import { defineTool } from "./tool.ts";

/** Ends the mute of an alert. */
export const unmuteAlert = defineTool({
  type: "unmute_alert",
  title: "Unmute an alert",
  description: "Lets a muted alert notify again.",
  routes: [alertInstanceRoutes.unmute],
  input: z.strictObject({ alertId: alertIdInput }),
  async run({ ctx }, { alertId }) {
    await unmuteInstance(ctx, { id: alertId });
    return { summary: "The alert is not muted any more.", alertId, muted: false };
  },
});
