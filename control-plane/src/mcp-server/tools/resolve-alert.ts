import { alertInstanceRoutes } from "@svc/contract";
import * as z from "zod";
import { resolveInstance } from "../../alerting/instances/resolve-instance.ts";
import { alertIdInput } from "./inputs.ts";
import { defineTool } from "./tool.ts";

/** Resolves an alert. */
export const resolveAlert = defineTool({
  type: "resolve_alert",
  title: "Resolve an alert",
  description:
    "Resolves an alert by hand. An alert recovers by itself when its check succeeds again, so resolve only one whose cause can't be seen by results.",
  routes: [alertInstanceRoutes.resolve],
  input: z.strictObject({ alertId: alertIdInput }),
  async run({ ctx }, { alertId }) {
    const durationMs = await resolveInstance(ctx, { id: alertId });
    return { summary: "The alert is resolved.", alertId, state: "resolved", durationMs };
  },
});
