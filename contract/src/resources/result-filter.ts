/** Query fields by which lists of results are restricted. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { RESULT_STATUSES } from "../base/result-status.ts";
import { instantQuery } from "../base/time-range-query.ts";
import { ERROR_CATEGORIES } from "./result.ts";

/** Longest time in which results of a category are looked for, days: the category lies in each result's detail. */
export const CATEGORY_DAYS_MAX = 7;

/** Query fields of lists of results. */
export const resultFilterQuery = {
  status: z.enum(RESULT_STATUSES).optional(),
  locationId: idSchema("location").optional().describe("Only results from this location."),
  category: z.enum(ERROR_CATEGORIES).optional().describe("Only failures of this category."),
  slowerThanMs: z
    .string()
    .regex(/^\d{1,7}$/, "expected whole milliseconds, at most 9999999")
    .transform(Number)
    .optional()
    .meta({ type: "integer", minimum: 0, maximum: 9_999_999, pattern: undefined })
    .describe("Only results whose response time is longer, ms."),
  from: instantQuery.describe("Only results of slots of this instant and later."),
  to: instantQuery.describe("Only results of slots before this instant."),
};
/** Filter of a list of results, as a request names it. */
export type ResultFilter = z.infer<z.ZodObject<typeof resultFilterQuery>>;
