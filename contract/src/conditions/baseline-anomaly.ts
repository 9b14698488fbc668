import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { severitySchema } from "../base/severity.ts";
import { defineCondition } from "./define-condition.ts";

/** Metrics of a result that are compared with the baseline. */
const BASELINE_METRICS = [
  "response_time",
  "dns_lookup",
  "tls_handshake",
  "ttfb",
  "content_transfer",
  "lcp",
  "fcp",
  "cls",
] as const;
export type BaselineMetric = (typeof BASELINE_METRICS)[number];

/** Holds when successes deviate from the baseline of their location, hour and weekday. */
export const baselineAnomalyCondition = defineCondition(
  closedObject({
    type: z.literal("baseline_anomaly"),
    metric: z.enum(BASELINE_METRICS),
    sigmaThreshold: z.number().min(2, "smallest is 2").max(10, "largest is 10").default(3),
    consecutiveCount: z.int().min(2, "smallest is 2").max(20, "largest is 20").default(3),
    direction: z.enum(["above", "below", "both"]).default("above"),
    severity: severitySchema.default("warning"),
  }),
  {
    fields: "`metric`, `sigmaThreshold` (3), `consecutiveCount` (3), `direction` (above), `severity`",
    holdsWhen:
      "the last `consecutiveCount` results deviate from what is usual there: see [Baselines](#baselines)",
    severity: "as set, else warning",
    symptom: "deviates from its usual measure of this hour",
  },
);
