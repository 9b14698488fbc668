import * as z from "zod";
import { BASELINE_METRICS, type BaselineMetric } from "../base/baseline-metrics.ts";
import { closedObject } from "../base/objects.ts";
import { severitySchema } from "../base/severity.ts";
import { defineCondition } from "./define-condition.ts";

/** Metrics that only a page in a browser has. */
const WEB_VITALS: readonly (string | undefined)[] = ["lcp", "fcp", "cls"] satisfies BaselineMetric[];

/** Metrics of the phases of a request. */
const PHASES: readonly (string | undefined)[] = [
  "dns_lookup",
  "tls_handshake",
  "ttfb",
  "content_transfer",
] satisfies BaselineMetric[];

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
      "the last `consecutiveCount` results deviate by more than `sigmaThreshold` standard deviations from what is usual there: see [Baselines](#baselines)",
    severity: "as set, else warning",
    usesBaselines: true,
    needs: ({ metric }) => {
      if (WEB_VITALS.includes(metric)) return "web_vitals";
      return PHASES.includes(metric) ? "phases" : undefined;
    },
    symptom: "deviates from its usual measure of this hour",
  },
);
