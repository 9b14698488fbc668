/** The alert conditions. To add one: its file beside this one, one line here, and its rule in the control plane. */
import * as z from "zod";
import { baselineAnomalySchema } from "./baseline-anomaly.ts";
import { burnRateSchema } from "./burn-rate.ts";
import { consecutiveFailuresSchema } from "./consecutive-failures.ts";
import { failureRatioSchema } from "./failure-ratio.ts";
import { mcpSchemaDriftSchema } from "./mcp-schema-drift.ts";
import { missedRunsSchema } from "./missed-runs.ts";
import { multiLocationFailureSchema } from "./multi-location-failure.ts";
import { responseTimeThresholdSchema } from "./response-time-threshold.ts";
import { sslCertificateChangedSchema } from "./ssl-certificate-changed.ts";
import { sslExpiryConditionSchema } from "./ssl-expiry.ts";
import { sslProtocolDeprecatedSchema } from "./ssl-protocol-deprecated.ts";
import { sslSelfSignedSchema } from "./ssl-self-signed.ts";

export const conditionSchema = z.discriminatedUnion("type", [
  consecutiveFailuresSchema,
  responseTimeThresholdSchema,
  multiLocationFailureSchema,
  sslExpiryConditionSchema,
  sslCertificateChangedSchema,
  sslSelfSignedSchema,
  sslProtocolDeprecatedSchema,
  burnRateSchema,
  mcpSchemaDriftSchema,
  baselineAnomalySchema,
  failureRatioSchema,
  missedRunsSchema,
]);
export type Condition = z.infer<typeof conditionSchema>;
export type ConditionType = Condition["type"];
export const CONDITION_TYPE_NAMES = conditionSchema.options.map((option) => option.shape.type.value);

/** The conditions of one alert rule: all of them must hold at once. */
export const conditionsSchema = z
  .array(conditionSchema)
  .min(1, "at least one condition")
  .max(20, "at most 20 conditions");
