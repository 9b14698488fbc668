/** Runs: one slot of a check across all its locations. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { RUN_REASONS, resultSchema } from "./result.ts";

/** Schema of a run with the results that have arrived. */
export const runSchema = z
  .object({
    id: idSchema("run"),
    checkId: idSchema("check"),
    slotAt: timestampSchema,
    reason: z.enum(RUN_REASONS),
    locations: z.array(idSchema("location")).describe("Where it was to run."),
    results: z.array(resultSchema).describe("Without detail."),
  })
  .meta({ id: "Run" });
/** A run with the results that have arrived. */
export type Run = z.infer<typeof runSchema>;
