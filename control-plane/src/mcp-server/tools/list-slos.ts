import { type SloStatus, sloRoutes } from "@svc/contract";
import * as z from "zod";
import { listSloStatuses } from "../../alerting/slos/list-slo-statuses.ts";
import { readPage } from "../answers/page.ts";
import { pageInput } from "./inputs.ts";
import { defineTool } from "./tool.ts";

/** Tells where the SLOs stand. */
export const listSlos = defineTool({
  type: "list_slos",
  title: "SLOs and error budgets",
  description:
    "Tells where the team's SLOs stand: share of good results, error budget consumed and remaining, and burn rates over 1, 6 and 24 hours.",
  routes: [sloRoutes.listStatuses],
  input: z.strictObject(pageInput),
  async run({ ctx }, { limit, next }) {
    const page = await readPage({
      list: listSloStatuses(ctx),
      limit,
      next,
      view: (status: SloStatus) => ({ ...status }),
    });
    return { summary: `${page.records.length} SLOs.`, slos: page.records, next: page.next };
  },
});
