import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { defineCondition } from "./define-condition.ts";
import { countSchema } from "./fields.ts";

/** Holds when too large a share of the newest results failed. */
export const failureRatioCondition = defineCondition(
  closedObject({
    type: z.literal("failure_ratio"),
    failures: countSchema,
    total: countSchema,
  }).refine((condition) => condition.failures <= condition.total, {
    path: ["failures"],
    message: "at most total",
  }),
  {
    fields: "`failures`, `total`",
    holdsWhen: "at least `failures` of the last `total` results over all locations are non-success",
    severity: "critical",
  },
);
