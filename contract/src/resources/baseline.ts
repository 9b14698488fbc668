/** Baselines: what a metric of a check usually is, by location and hour of the week. */
import * as z from "zod";
import { BASELINE_METRICS } from "../base/baseline-metrics.ts";
import { HOURS_OF_WEEK } from "../base/hour-of-week.ts";
import { idSchema } from "../base/ids.ts";

/** Schema of the query of a check's baseline. */
export const baselineQuerySchema = z.object({
  metric: z.enum(BASELINE_METRICS).default(BASELINE_METRICS[0]),
});

const hours = z.array(z.number().nullable()).length(HOURS_OF_WEEK);

/** Schema of the baseline of a metric of a check. */
export const checkBaselineSchema = z
  .object({
    metric: z.enum(BASELINE_METRICS),
    locations: z
      .array(
        z.object({
          locationId: idSchema("location"),
          mean: hours.describe(
            "By hour of the week, the first from Monday 00:00 UTC; ms, of `cls` a score. null: too few samples yet.",
          ),
          deviation: hours.describe("Standard deviation, in the unit of the mean."),
        }),
      )
      .describe(
        "Locations with a baseline in at least one hour. Empty: no alert rule of the check needs one.",
      ),
  })
  .meta({ id: "CheckBaseline" });
/** The baseline of a metric of a check. */
export type CheckBaseline = z.infer<typeof checkBaselineSchema>;
