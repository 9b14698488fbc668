import {
  ERROR_CATEGORIES,
  idSchema,
  parseResultId,
  RESULT_STATUSES,
  type Result,
  resultRoutes,
} from "@svc/contract";
import * as z from "zod";
import { listResults as listResultsOf, RESULT_CURSOR } from "../../results/list-results.ts";
import { readPage } from "../answers/page.ts";
import { resultLine } from "../views/result-view.ts";
import { checkIdInput, pageInput, rangeInput } from "./inputs.ts";
import { defineTool } from "./tool.ts";

/** Lists a check's results. */
export const listResults = defineTool({
  type: "list_results",
  title: "List results",
  description:
    "Lists a check's results, newest first, without evidence; by status, location, error category or time. get_result reads one with its evidence.",
  routes: [resultRoutes.list],
  input: z.strictObject({
    checkId: checkIdInput,
    status: z.enum(RESULT_STATUSES).optional(),
    locationId: idSchema("location").optional().describe("Only results from this location (loc_...)."),
    category: z.enum(ERROR_CATEGORIES).optional().describe("Only failures of this category."),
    ...rangeInput,
    ...pageInput,
  }),
  async run({ ctx }, { checkId, limit, next, ...filter }) {
    const page = await readPage<Result, Result>({
      list: {
        cursorShape: RESULT_CURSOR,
        read: async ({ after, rowsMax }) => {
          const list = await listResultsOf(ctx, {
            checkId,
            begin: after,
            limit: rowsMax,
            offset: 0,
            withDetail: false,
            filter: { slowerThanMs: undefined, ...filter },
          });
          return list.read(after, rowsMax);
        },
        textOf: (result) => JSON.stringify(result),
        cursorOf: ({ id }) => {
          const key = parseResultId(id);
          if (!key) throw new TypeError(`${id} is no id of a result`);
          return [key.slotMs, key.locationKey];
        },
      },
      limit,
      next,
      view: resultLine,
    });
    return {
      summary: `${page.records.length} results, newest first.`,
      results: page.records,
      next: page.next,
    };
  },
});
