import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { countSchema } from "./fields.ts";

/** At least `failures` of the last `total` results across locations are non-success. */
export const failureRatioSchema = closedObject({
  type: z.literal("failure_ratio"),
  failures: countSchema,
  total: countSchema,
}).refine((condition) => condition.failures <= condition.total, {
  path: ["failures"],
  message: "at most total",
});
