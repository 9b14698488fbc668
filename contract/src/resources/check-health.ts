/** Current health of checks, with the newest results of each, for overviews. */
import * as z from "zod";
import { type CheckId, idSchema, isId } from "../base/ids.ts";
import { pageQuerySchema } from "../base/list-page.ts";
import { RESULT_STATUSES } from "../base/result-status.ts";
import { timestampSchema } from "../base/timestamp.ts";

/**
 * States of a check's health. healthy: the newest result of each location is a success; unhealthy: that of some location is
 * not; unknown: there is no recent result.
 */
export const CHECK_HEALTHS = ["healthy", "unhealthy", "unknown"] as const;

/** Number of results shown per check, over all its locations. */
export const HEALTH_RESULTS_MAX = 20;

/** Schema of the health of a check with its newest results. */
export const checkHealthSchema = z
  .object({
    checkId: idSchema("check"),
    health: z.enum(CHECK_HEALTHS),
    failingLocations: z.array(idSchema("location")).describe("Where the newest result is no success."),
    results: z
      .array(
        z.object({
          id: idSchema("result"),
          locationId: idSchema("location"),
          slotAt: timestampSchema,
          status: z.enum(RESULT_STATUSES),
          responseTimeMs: z.number(),
        }),
      )
      .describe(`The newest ${HEALTH_RESULTS_MAX}, the newest last.`),
  })
  .meta({ id: "CheckHealth" });
/** The current health of one check, with its newest results. */
export type CheckHealth = z.infer<typeof checkHealthSchema>;

/** Checks that a request for the health of certain checks may name. */
const HEALTH_IDS_MAX = 100;

/** Schema of the query of the list of the health of checks. */
export const checkHealthQuerySchema = pageQuerySchema.extend({
  ids: z
    .string()
    .max(4_000)
    .optional()
    .transform((text) => text?.split(",").filter((id) => isId("check", id)))
    .pipe(z.array(z.custom<CheckId>()).max(HEALTH_IDS_MAX, `at most ${HEALTH_IDS_MAX} ids`).optional())
    .meta({
      type: "string",
      description: `Only these checks: at most ${HEALTH_IDS_MAX} ids, with commas between them. Those of no check of the team are left out.`,
    }),
});
