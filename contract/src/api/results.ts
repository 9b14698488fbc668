/** Routes of results, their coverage and their files. */
import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import { cursorQuery, literalTrueQuery, nextCursorField, pageQuerySchema } from "../base/list-page.ts";
import { checkHealthQuerySchema, checkHealthSchema } from "../resources/check-health.ts";
import { COVERAGE_RANGES, coverageSchema } from "../resources/coverage.ts";
import { resultSchema } from "../resources/result.ts";
import { CATEGORY_DAYS_MAX, resultFilterQuery } from "../resources/result-filter.ts";
import { runSchema } from "../resources/run.ts";
import { defineRoute } from "./route.ts";

/** Most results in one download. */
export const CSV_RESULTS_MAX = 10_000;

const tag = "Results";
const params = z.object({ id: idSchema("check") });
const coverageRangeNames = Object.keys(COVERAGE_RANGES) as (keyof typeof COVERAGE_RANGES)[];

/** Routes of results, by operation. */
export const resultRoutes = {
  listHealth: defineRoute({
    method: "GET",
    path: "/api/checks/health",
    access: "reads",
    tag,
    summary: "Tell how the checks stand, with the newest results of each",
    query: checkHealthQuerySchema,
    answer: z.object({
      checks: z.array(checkHealthSchema),
      limit: z.number(),
      offset: z.number(),
      ...nextCursorField,
    }),
  }),
  list: defineRoute({
    method: "GET",
    path: "/api/checks/:id/results",
    access: "reads",
    tag,
    summary: "List a check's results, newest first",
    params,
    query: pageQuerySchema.extend({
      cursor: cursorQuery,
      detail: literalTrueQuery.describe(
        "true adds assertions, evidence, attempts and what the type has besides",
      ),
      ...resultFilterQuery,
      before: idSchema("result").optional().describe("Only results behind this one in the list."),
    }),
    description: `With detail, a page ends after 8 MiB; \`nextCursor\` continues it. Page far back by \`cursor\` rather than by \`offset\`, which goes with no filter. A category is looked for in ${CATEGORY_DAYS_MAX} days at most: those before \`to\`, unless \`from\` names fewer.`,
    answer: z.object({
      results: z.array(resultSchema),
      limit: z.number(),
      offset: z.number(),
      ...nextCursorField,
    }),
  }),
  get: defineRoute({
    method: "GET",
    path: "/api/checks/:id/results/:resultId",
    access: "reads",
    tag,
    summary: "Get a result with its detail",
    params: params.extend({ resultId: idSchema("result") }),
    answer: z.object({
      result: resultSchema,
      previousId: idSchema("result").nullable().describe("The result before it at its location."),
      nextId: idSchema("result").nullable().describe("The result after it at its location."),
    }),
  }),
  getRun: defineRoute({
    method: "GET",
    path: "/api/checks/:id/runs/:runId",
    access: "reads",
    tag,
    summary: "Get a run: one slot of a check, with its result from each location",
    params: params.extend({ runId: idSchema("run") }),
    description: "A run that was ordered and has no result yet is answered, too.",
    answer: z.object({ run: runSchema }),
  }),
  downloadResults: defineRoute({
    method: "GET",
    path: "/api/checks/:id/results.csv",
    access: "reads",
    tag,
    summary: "Download a check's results as CSV, newest first",
    params,
    query: z.object(resultFilterQuery),
    description: `At most ${CSV_RESULTS_MAX} results; name \`to\` to go on. A cell that a spreadsheet would take for a formula begins with an apostrophe.`,
    fileTypes: ["text/csv"],
  }),
  getCoverage: defineRoute({
    method: "GET",
    path: "/api/checks/:id/coverage",
    access: "reads",
    tag,
    summary: "Tell which slots of a check have a result, and why the others do not",
    params,
    query: z.object({ range: z.enum(coverageRangeNames).default("24h").describe("How far back.") }),
    answer: coverageSchema,
  }),
  fetchArtifact: defineRoute({
    method: "GET",
    path: "/api/artifacts/:id",
    access: "public",
    tag,
    summary: "Fetch a picture or video by a link from a result",
    description:
      "The links in screenshotsJson and videoJson lead here. They need no credential and expire after about an hour: 410. A `Range` header of one range is answered with that part.",
    params: z.object({ id: idSchema("artifact").describe("art_...") }),
    query: z.object({
      expires: z.coerce.number().int().min(0).describe("Unix ms"),
      signature: z.string().max(100),
    }),
    fileTypes: ["image/jpeg", "image/png", "video/webm"],
    otherAnswers: {
      410: errorSchema,
      416: z.null().describe("The range lies beyond the file's end; Content-Range says how long it is"),
    },
  }),
};
