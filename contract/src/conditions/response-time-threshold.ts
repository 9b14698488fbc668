import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { defineCondition } from "./define-condition.ts";

/** Holds when a success took too long. */
export const responseTimeThresholdCondition = defineCondition(
  closedObject({
    type: z.literal("response_time_threshold"),
    maxMs: z.number().min(0, "smallest is 0").describe("Longest total response time that is still fine, ms."),
  }),
  {
    fields: "`maxMs`",
    holdsWhen: "the newest success of a location took longer than `maxMs` ms, for any of the locations",
    severity: "critical",
    symptom: "answers more slowly than allowed: load, or a slower dependency",
  },
);
