import { alertInstanceRoutes } from "@svc/contract";
import * as z from "zod";
import { getInstance } from "../../alerting/instances/get-instance.ts";
import { alertView } from "../views/alert-view.ts";
import { alertIdInput } from "./inputs.ts";
import { defineTool } from "./tool.ts";

/** Reads an alert with its history. */
export const getAlert = defineTool({
  type: "get_alert",
  title: "Read an alert",
  description:
    "Reads an alert: state, history (who acknowledged, muted or resolved it), and what made it fire. list_notifications tells who was notified of it.",
  routes: [alertInstanceRoutes.get],
  input: z.strictObject({ alertId: alertIdInput }),
  async run({ ctx }, { alertId }) {
    const { instance, events } = await getInstance(ctx, { id: alertId });
    const { state, severity, startedAt } = instance;
    return { summary: `${severity}, ${state}, since ${startedAt}.`, alert: alertView(instance, events) };
  },
});
