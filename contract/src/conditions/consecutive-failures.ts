import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { defineCondition } from "./define-condition.ts";
import { countSchema } from "./fields.ts";

/** Holds when one location has failed several times in a row. */
export const consecutiveFailuresCondition = defineCondition(
  closedObject({
    type: z.literal("consecutive_failures"),
    count: countSchema.default(2),
  }),
  {
    fields: "`count` (2)",
    holdsWhen:
      "the last `count` results of one location are all non-success, for any of the check's locations",
    severity: "critical",
  },
);
