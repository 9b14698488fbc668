/** `limit` and `offset` of paged lists. Queries carry them as text; answers echo them as numbers. */
import * as z from "zod";

/** Records on a page of a list when the request names no limit. */
export const PAGE_LIMIT_DEFAULT = 50;
/** Most records on a page of a list. */
export const PAGE_LIMIT_MAX = 200;

const wholeNumber = z.string().regex(/^\d{1,40}$/, "expected a whole number, 0 or more");

/** Schema of the number of entries on a page: 1-200, default 50. */
export const limitQuery = wholeNumber
  .transform(Number)
  .pipe(z.number().min(1, "smallest is 1").max(PAGE_LIMIT_MAX, `largest is ${PAGE_LIMIT_MAX}`))
  .default(PAGE_LIMIT_DEFAULT)
  .meta({ type: "integer", minimum: 1, maximum: PAGE_LIMIT_MAX, pattern: undefined });

/** Schema of the number of entries to skip: 0 or more, default 0. Larger numbers than 2^53 - 1 count as 2^53 - 1. */
export const offsetQuery = wholeNumber
  .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER))
  .default(0)
  .meta({ type: "integer", minimum: 0, pattern: undefined });

/** Schema of the query of a list that is answered page by page. */
export const pageQuerySchema = z.object({ limit: limitQuery, offset: offsetQuery });

/** Schema of a query flag that only the literal `true` sets. */
export const literalTrueQuery = z
  .string()
  .optional()
  .transform((text) => text === "true")
  .meta({ enum: ["true"] });
