import { alertInstanceRoutes, muteInstanceSchema } from "@svc/contract";
import * as z from "zod";
import { muteInstance } from "../../alerting/instances/mute-instance.ts";
import { alertIdInput } from "./inputs.ts";
import { defineTool } from "./tool.ts";

/** Mutes an alert. */
export const muteAlert = defineTool({
  type: "mute_alert",
  title: "Mute an alert",
  description: "Mutes an open alert: it notifies nobody until an instant, or until it is unmuted.",
  routes: [alertInstanceRoutes.mute],
  input: z.strictObject({
    alertId: alertIdInput,
    until: muteInstanceSchema.shape.until.describe("When the mute ends; absent: when it is unmuted."),
  }),
  async run({ ctx }, { alertId, until }) {
    await muteInstance(ctx, { id: alertId, until });
    return { summary: `The alert is muted${until ? ` until ${until}` : ""}.`, alertId, muted: true };
  },
});
