/** The alert conditions. To add one: its file beside this one, one line here, and its rule in the control plane. */
import * as z from "zod";
import { defineFamily } from "../base/family.ts";
import { familySchema } from "../base/family-schema.ts";
import { baselineAnomalyCondition } from "./baseline-anomaly.ts";
import { burnRateCondition } from "./burn-rate.ts";
import { consecutiveFailuresCondition } from "./consecutive-failures.ts";
import { failureRatioCondition } from "./failure-ratio.ts";
import { mcpSchemaDriftCondition } from "./mcp-schema-drift.ts";
import { missedRunsCondition } from "./missed-runs.ts";
import { multiLocationFailureCondition } from "./multi-location-failure.ts";
import { responseTimeThresholdCondition } from "./response-time-threshold.ts";
import { sslCertificateChangedCondition } from "./ssl-certificate-changed.ts";
import { sslExpiryCondition } from "./ssl-expiry.ts";
import { sslProtocolDeprecatedCondition } from "./ssl-protocol-deprecated.ts";
import { sslSelfSignedCondition } from "./ssl-self-signed.ts";

/** The alert conditions, in the order in which they are documented. */
export const conditionTypes = defineFamily("condition", [
  consecutiveFailuresCondition,
  responseTimeThresholdCondition,
  multiLocationFailureCondition,
  sslExpiryCondition,
  sslCertificateChangedCondition,
  sslSelfSignedCondition,
  sslProtocolDeprecatedCondition,
  burnRateCondition,
  mcpSchemaDriftCondition,
  baselineAnomalyCondition,
  failureRatioCondition,
  missedRunsCondition,
]);

/** One condition of an alert rule: an object of any condition type. */
export const conditionSchema = familySchema(conditionTypes);
/** One condition of an alert rule, of any type. */
export type Condition = z.infer<typeof conditionSchema>;
/** The name of an alert condition, such as `consecutive_failures`. */
export type ConditionType = Condition["type"];

/** The conditions of one alert rule: all of them must hold at once. */
export const conditionsSchema = z
  .array(conditionSchema)
  .min(1, "at least one condition")
  .max(20, "at most 20 conditions");
