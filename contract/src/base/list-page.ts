/**
 * Pages of lists. Lists that grow slowly are paged by `cursor`: an answer that more follows names the beginning of the next
 * page in `nextCursor`. Lists of what happened are paged by `limit` and `offset`; queries carry these as text, answers echo
 * them as numbers.
 */
import * as z from "zod";

/** Records on a page of a list when the request names no limit. */
const PAGE_LIMIT_DEFAULT = 50;
/** Most records on a page of a list. */
const PAGE_LIMIT_MAX = 200;

const wholeNumber = z.string().regex(/^\d{1,40}$/, "expected a whole number, 0 or more");

const limitNumber = wholeNumber
  .transform(Number)
  .pipe(z.number().min(1, "smallest is 1").max(PAGE_LIMIT_MAX, `largest is ${PAGE_LIMIT_MAX}`));
const limitMeta = { type: "integer", minimum: 1, maximum: PAGE_LIMIT_MAX, pattern: undefined } as const;

/** Schema of the number of entries on a page: 1-200, default 50. */
export const limitQuery = limitNumber.default(PAGE_LIMIT_DEFAULT).meta(limitMeta);

/** Schema of the number of entries to skip: 0 or more, default 0. Larger numbers than 2^53 - 1 count as 2^53 - 1. */
export const offsetQuery = wholeNumber
  .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER))
  .default(0)
  .meta({ type: "integer", minimum: 0, pattern: undefined });

/** Schema of the cursor at which a page begins. */
export const cursorQuery = z
  .string()
  .min(1)
  .max(1_000)
  .optional()
  .describe("The `nextCursor` of the page before; absent: the first page.");

/** Schema of the query of a list that is answered page by page: pages follow one another by cursor, or by offset. */
export const pageQuerySchema = z.object({ limit: limitQuery, offset: offsetQuery, cursor: cursorQuery });

/** Query of a list that is paged by cursor. Without a limit a page ends where it has enough bytes. */
export const cursorPageQuerySchema = z.object({
  limit: limitNumber
    .optional()
    .meta({ ...limitMeta, description: "Entries on a page; absent: as many as fit." }),
  cursor: cursorQuery,
});

/** Field of an answer that says where the next page begins. */
export const nextCursorField = {
  nextCursor: z.string().optional().describe("`cursor` of the next page; absent on the last one."),
};

/** Schema of a query flag that only the literal `true` sets. */
export const literalTrueQuery = z
  .string()
  .optional()
  .transform((text) => text === "true")
  .meta({ enum: ["true"] });
