import * as z from "zod";
import { isId } from "../base/ids.ts";
import { closedObject } from "../base/objects.ts";
import { defineCondition } from "./define-condition.ts";

/** Holds while the budget of an SLO is spent too fast. The SLO itself normally generates the rule. */
export const burnRateCondition = defineCondition(
  closedObject({
    type: z.literal("burn_rate"),
    sloId: z
      .string()
      .max(64)
      .refine((text) => isId("slo", text), "expected an id of the form slo_..."),
    burnRateThreshold: z.number().positive("greater than 0"),
    longWindowMinutes: z.int().min(60, "smallest is 60").max(43_200, "largest is 43200"),
    shortWindowMinutes: z.int().min(5, "smallest is 5"),
  }).refine((condition) => condition.shortWindowMinutes < condition.longWindowMinutes, {
    path: ["shortWindowMinutes"],
    message: "less than longWindowMinutes",
  }),
  {
    fields: "`sloId`, `burnRateThreshold`, `longWindowMinutes`, `shortWindowMinutes`",
    holdsWhen:
      "the [SLO](slos.md)'s budget burns faster than `burnRateThreshold` over the last `longWindowMinutes` minutes and over the last `shortWindowMinutes`; never while the rates aren't known",
    severity: "critical",
    symptom: "uses up its error budget too fast",
    notForPolicies: "it names one SLO, and an SLO generates rules of its own",
  },
);
