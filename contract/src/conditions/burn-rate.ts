import * as z from "zod";
import { isId } from "../base/ids.ts";
import { closedObject } from "../base/objects.ts";

/** An SLO's budget is spent faster than `burnRateThreshold` over both windows. Normally made from the SLO itself. */
export const burnRateSchema = closedObject({
  type: z.literal("burn_rate"),
  sloId: z.string().refine((text) => isId("slo", text), "expected an id of the form slo_..."),
  burnRateThreshold: z.number().positive("greater than 0"),
  longWindowMinutes: z.int().min(60, "smallest is 60").max(43_200, "largest is 43200"),
  shortWindowMinutes: z.int().min(5, "smallest is 5"),
}).refine((condition) => condition.shortWindowMinutes < condition.longWindowMinutes, {
  path: ["shortWindowMinutes"],
  message: "less than longWindowMinutes",
});
