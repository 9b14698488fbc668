import { idSchema, resultRoutes } from "@svc/contract";
import * as z from "zod";
import { getResult as getResultOf } from "../../results/get-result.ts";
import { resultView } from "../views/result-view.ts";
import { checkIdInput } from "./inputs.ts";
import { defineTool } from "./tool.ts";

/** Reads a result with its evidence. */
export const getResult = defineTool({
  type: "get_result",
  title: "Read a result",
  description:
    "Reads a result with its evidence: assertions, the response of a failure, attempts, and steps, requests and console of a browser run. Long texts are cut; read_evidence reads on.",
  routes: [resultRoutes.get],
  input: z.strictObject({
    checkId: checkIdInput,
    resultId: idSchema("result").describe("Id of the result (res_...)."),
  }),
  async run({ ctx }, input) {
    const { result, previousId, nextId } = await getResultOf(ctx, input);
    const { status, responseTimeMs, slotAt } = result;
    return {
      summary: `${status} in ${Math.round(responseTimeMs)} ms at ${slotAt}.`,
      previousId,
      nextId,
      result: resultView(result),
    };
  },
});
