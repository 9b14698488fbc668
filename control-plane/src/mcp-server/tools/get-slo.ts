import { idSchema, sloRoutes } from "@svc/contract";
import * as z from "zod";
import { getSlo as getSloOf } from "../../alerting/slos/get-slo.ts";
import { getSloStatus } from "../../alerting/slos/get-slo-status.ts";
import { defineTool } from "./tool.ts";

/** Reads an SLO with its status. */
export const getSlo = defineTool({
  type: "get_slo",
  title: "Read an SLO",
  description: "Reads an SLO with the state of its error budget and its burn rates.",
  routes: [sloRoutes.get, sloRoutes.getStatus],
  input: z.strictObject({ sloId: idSchema("slo").describe("Id of the SLO (slo_...).") }),
  async run({ ctx }, { sloId }) {
    const { teamId: _, ...slo } = await getSloOf(ctx, { id: sloId });
    const status = await getSloStatus(ctx, { id: sloId });
    const spent = Math.round(status.budgetConsumedRatio * 1000) / 10;
    return {
      summary: `${spent} % of the error budget is spent; the target is ${slo.targetBasisPoints / 100} % over ${slo.windowDays} days.`,
      slo,
      status,
    };
  },
});
