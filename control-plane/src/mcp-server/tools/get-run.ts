import { idSchema, resultRoutes } from "@svc/contract";
import * as z from "zod";
import { getRun as getRunOf } from "../../results/get-run.ts";
import { resultLine } from "../views/result-view.ts";
import { checkIdInput } from "./inputs.ts";
import { defineTool } from "./tool.ts";

/** Reads a run of a check. */
export const getRun = defineTool({
  type: "get_run",
  title: "Read a run",
  description:
    "Reads a run of a check: where it was to run, and the results that have arrived. Ask again while some are missing.",
  routes: [resultRoutes.getRun],
  input: z.strictObject({
    checkId: checkIdInput,
    runId: idSchema("run").describe("Id of the run (run_...), as run_check answers it."),
  }),
  async run({ ctx }, { checkId, runId }) {
    const run = await getRunOf(ctx, { checkId, runId });
    const { slotAt, reason, locations, results } = run;
    return {
      summary: `${results.length} of ${locations.length} results have arrived.`,
      runId,
      slotAt,
      reason,
      locations,
      results: results.map(resultLine),
    };
  },
});
