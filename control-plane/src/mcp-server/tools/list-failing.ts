import { counted, OVERVIEW_FAILING_MAX, overviewRoutes } from "@svc/contract";
import * as z from "zod";
import { pageOf } from "../answers/page.ts";
import { untrusted } from "../answers/untrusted.ts";
import { pageInput } from "./inputs.ts";
import { defineTool } from "./tool.ts";

/** Lists what fails, and since when. */
export const listFailing = defineTool({
  type: "list_failing",
  title: "What is failing",
  description:
    "Lists the checks that fail now, the gravest and longest first: since when, at which locations, the newest failing result and its error. Ask explain_check why one fails.",
  routes: [overviewRoutes.get],
  input: z.strictObject(pageInput),
  async run({ ctx, parts }, { limit, next }) {
    const { asOf, checks, failing } = await parts.overviews.readRecord(ctx);
    const page = await pageOf(failing, {
      limit,
      next,
      view: ({ recent: _, errorMessage, ...check }) => ({ ...check, ...untrusted({ errorMessage }) }),
    });
    return {
      summary: `${counted(checks.unhealthy, "check")} of ${checks.total} failing.`,
      asOf,
      failing: page.records,
      next: page.next,
      ...(checks.unhealthy > OVERVIEW_FAILING_MAX && {
        more: `Only the first ${OVERVIEW_FAILING_MAX} are listed; find_checks with health unhealthy finds all.`,
      }),
    };
  },
});
