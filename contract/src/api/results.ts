/** Routes of results, their coverage and their files. */
import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import { cursorQuery, literalTrueQuery, nextCursorField, pageQuerySchema } from "../base/list-page.ts";
import { instantQuery } from "../base/time-range-query.ts";
import { checkHealthQuerySchema, checkHealthSchema } from "../resources/check-health.ts";
import { COVERAGE_RANGES, coverageSchema } from "../resources/coverage.ts";
import { labelSchema } from "../resources/labels.ts";
import { resultSchema } from "../resources/result.ts";
import { CATEGORY_DAYS_MAX, resultFilterQuery } from "../resources/result-filter.ts";
import { runSchema } from "../resources/run.ts";
import { seriesSchema } from "../resources/series.ts";
import { SLOT_CELLS_MAX, SLOTS_COUNTED_MAX, slotsSchema } from "../resources/slots.ts";
import { defineRoute } from "./route.ts";

/** Most check locations whose metrics one answer holds: as many as a Prometheus server takes in one scrape without trouble. */
export const CHECK_METRICS_MAX = 50_000;

/** Most results in one download. */
export const CSV_RESULTS_MAX = 10_000;

const tag = "Results";
const params = z.object({ id: idSchema("check") });
const rangeQuery = {
  from: instantQuery.describe("Begin; default: 24 hours before `to`."),
  to: instantQuery.describe("End; default: now."),
};
const cellsQuery = z
  .string()
  .regex(/^\d{1,9}$/, "expected a whole number")
  .transform(Number)
  .pipe(z.number().min(1, "smallest is 1").max(SLOT_CELLS_MAX, `largest is ${SLOT_CELLS_MAX}`))
  .default(120)
  .meta({ type: "integer", minimum: 1, maximum: SLOT_CELLS_MAX, pattern: undefined });
const coverageRangeNames = Object.keys(COVERAGE_RANGES) as (keyof typeof COVERAGE_RANGES)[];

/** Routes of results, by operation. */
export const resultRoutes = {
  listHealth: defineRoute({
    method: "GET",
    path: "/api/checks/health",
    access: "reads",
    isReport: true,
    forDisplays: true,
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
    isReport: true,
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
    isReport: true,
    tag,
    summary: "Download a check's results as CSV, newest first",
    params,
    query: z.object(resultFilterQuery),
    description: `At most ${CSV_RESULTS_MAX} results; name \`to\` to go on. A cell that a spreadsheet would take for a formula begins with an apostrophe.`,
    fileTypes: ["text/csv"],
  }),
  getMetrics: defineRoute({
    method: "GET",
    path: "/metrics/checks",
    access: "reads",
    isReport: true,
    tag,
    summary: "Scrape the newest result of each check at each location, as Prometheus metrics",
    query: z.object({
      label: labelSchema.optional().describe("Only checks with this label, such as `team:payments`."),
    }),
    description: `Text format 0.0.4, with the names of blackbox_exporter's metrics. A result older than three periods of its check and a minute is left out. Beyond ${CHECK_METRICS_MAX} check locations the answer is 400: scrape them in parts, by \`label\`.`,
    fileTypes: ["text/plain"],
  }),
  getCoverage: defineRoute({
    method: "GET",
    path: "/api/checks/:id/coverage",
    access: "reads",
    isReport: true,
    tag,
    summary: "Tell which slots of a check have a result, and why the others do not",
    params,
    query: z.object({ range: z.enum(coverageRangeNames).default("24h").describe("How far back.") }),
    answer: coverageSchema,
  }),
  getSlots: defineRoute({
    method: "GET",
    path: "/api/checks/:id/slots",
    access: "reads",
    isReport: true,
    tag,
    summary: "Show the slots of a check, location by location, with the reason of each missing one",
    params,
    query: z.object({
      ...rangeQuery,
      cells: cellsQuery.describe(
        "Cells of a location, at most. A cell is a single slot where those are no more.",
      ),
    }),
    description: `Counts as the coverage does, for any range that holds at most ${SLOTS_COUNTED_MAX} slots.`,
    answer: slotsSchema,
  }),
  getSeries: defineRoute({
    method: "GET",
    path: "/api/checks/:id/series",
    access: "reads",
    isReport: true,
    tag,
    summary: "Read a check's response times and outcomes over time",
    params,
    query: z.object({
      ...rangeQuery,
      by: z.enum(["location", "all"]).default("location").describe("all: one series over all locations."),
    }),
    description:
      "Ranges of at most 24 hours are read from the results, longer ones from hourly rollups, which are kept for 13 months.",
    answer: seriesSchema,
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
