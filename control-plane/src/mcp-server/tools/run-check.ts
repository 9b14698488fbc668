import { checkRoutes, counted } from "@svc/contract";
import * as z from "zod";
import { triggerCheck } from "../../checks/trigger-check.ts";
import { checkIdInput } from "./inputs.ts";
import { defineTool } from "./tool.ts";

/** Runs a check now. */
export const runCheck = defineTool({
  type: "run_check",
  title: "Run a check now",
  description:
    "Runs a check now in each of its locations, whether it is enabled or not. Answers the run's id at once; ask get_run for the results some seconds later.",
  routes: [checkRoutes.trigger],
  input: z.strictObject({ checkId: checkIdInput }),
  async run({ ctx }, { checkId }) {
    const { locations, runId } = await triggerCheck(ctx, { id: checkId });
    return {
      summary: `The check runs at ${counted(locations, "location")}; ask get_run for the results in some seconds.`,
      checkId,
      runId,
      locations,
    };
  },
});
