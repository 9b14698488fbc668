/** Answers of `svc status`. */
import { checkHealthSchema, checkTypes, timestampSchema } from "@svc/contract";
import * as z from "zod";
import type { Answers } from "./answers.ts";

const count = z.number();

const viewSchema = z
  .object({
    timestamp: timestampSchema.describe("When it was read."),
    monitors: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        type: z.enum(checkTypes.types),
        status: z.enum(["enabled", "paused"]),
        frequencySeconds: z.number(),
        health: checkHealthSchema.shape.health,
        failingLocations: checkHealthSchema.shape.failingLocations,
        recent: checkHealthSchema.shape.results,
      }),
    ),
    summary: z.object({
      total: count,
      healthy: count,
      unhealthy: count,
      unknown: count,
      paused: count.describe("Paused monitors, whatever their health."),
    }),
  })
  .meta({ id: "StatusView" });

/** Answers of `svc status`. */
export const status: Answers = {
  data: viewSchema,
  lines: { schema: viewSchema, of: "view", withFlag: "--watch" },
};
