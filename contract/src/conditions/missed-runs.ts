import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { defineCondition } from "./define-condition.ts";
import { countSchema } from "./fields.ts";

/** Holds when due slots of a location have no result. */
export const missedRunsCondition = defineCondition(
  closedObject({
    type: z.literal("missed_runs"),
    count: countSchema.default(2),
  }),
  {
    fields: "`count` (2)",
    holdsWhen: "the last `count` due slots of a location have no result",
    severity: "critical",
    subject: "missing_runs",
    needs: () => "missed_slots",
  },
);
