/** The error budget of an SLO over its window: where it stood hour by hour, and which hours spent it. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { timestampSchema } from "../base/timestamp.ts";

/** Most hours that are listed as consumers of a budget. */
export const BUDGET_CONSUMERS_MAX = 10;

const sloCoverageSchema = z
  .object({
    until: timestampSchema.describe("Slots before this instant are counted: the last whole hour."),
    expected: z.number().describe("Slots that were due outside maintenance."),
    received: z.number().describe("Results of these."),
    missing: z.number().describe("Slots without a result. They count neither way."),
  })
  .describe("The slots of the window; null for an SLO of third_party, which counts requests.");

/** Schema of the course of an SLO's error budget. */
export const sloSeriesSchema = z
  .object({
    sloId: idSchema("slo"),
    from: timestampSchema.describe("Begin of the window."),
    to: timestampSchema.describe("Now."),
    points: z
      .array(
        z.object({
          at: timestampSchema.describe("End of the hour; the last one is `to`."),
          budgetLeft: z
            .number()
            .describe(
              "Share of the whole window's budget that was left; negative: more was spent than there is.",
            ),
          total: z.number().describe("Results in the hour."),
          bad: z.number().describe("Results in the hour that spent budget."),
        }),
      )
      .describe("Oldest first. The last point agrees with the status of the SLO."),
    consumers: z
      .array(
        z.object({
          from: timestampSchema,
          to: timestampSchema,
          total: z.number(),
          bad: z.number(),
          budgetShare: z.number().describe("Share of the whole budget, 0-1 and above."),
        }),
      )
      .describe(`The hours that spent most, at most ${BUDGET_CONSUMERS_MAX}, the worst first.`),
    maintenance: z
      .array(z.object({ from: timestampSchema, to: timestampSchema }))
      .describe(
        "Times within maintenance windows, which are left out; at most 200, the newest. Empty for third_party.",
      ),
    exhaustedAt: timestampSchema
      .nullable()
      .describe(
        "When the budget is spent at the pace of the last 24 hours; null: it is spent, or not being spent.",
      ),
    coverage: sloCoverageSchema.nullable(),
  })
  .meta({ id: "SloSeries" });
/** The course of an SLO's error budget. */
export type SloSeries = z.infer<typeof sloSeriesSchema>;
