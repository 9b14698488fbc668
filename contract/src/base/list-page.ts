/** `limit` and `offset` of the lists that page. They come as text; the answer echoes them as numbers. */
import * as z from "zod";

export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 200;

const wholeNumber = z.string().regex(/^\d{1,40}$/, "expected a whole number, 0 or more");

/** Entries on a page: 1-200, default 50. */
export const limitQuery = wholeNumber
  .transform(Number)
  .pipe(z.number().min(1, "smallest is 1").max(PAGE_LIMIT_MAX, `largest is ${PAGE_LIMIT_MAX}`))
  .default(PAGE_LIMIT_DEFAULT)
  .meta({ type: "integer", minimum: 1, maximum: PAGE_LIMIT_MAX, pattern: undefined });

/** Entries to skip: from 0, default 0, no stated maximum; beyond 2^53 there is nothing, so it counts as 2^53 - 1. */
export const offsetQuery = wholeNumber
  .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER))
  .default(0)
  .meta({ type: "integer", minimum: 0, pattern: undefined });

export const pageQuerySchema = z.object({ limit: limitQuery, offset: offsetQuery });

/** A query flag that is set by the literal `true` and by nothing else. */
export const literalTrueQuery = z
  .string()
  .optional()
  .transform((text) => text === "true")
  .meta({ enum: ["true"] });
