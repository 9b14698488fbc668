/** The condition rules. To add one: its file beside this one, one line here, and its schema in the contract. */
import { type Condition, type ConditionType, conditionTypes, defineFamily } from "@svc/contract";
import { baselineAnomaly } from "./baseline-anomaly.ts";
import { burnRate } from "./burn-rate.ts";
import type { ConditionRule } from "./condition.ts";
import { consecutiveFailures } from "./consecutive-failures.ts";
import { failureRatio } from "./failure-ratio.ts";
import { mcpSchemaDrift } from "./mcp-schema-drift.ts";
import { missedRuns } from "./missed-runs.ts";
import { multiLocationFailure } from "./multi-location-failure.ts";
import { responseTimeThreshold } from "./response-time-threshold.ts";
import { sslCertificateChanged } from "./ssl-certificate-changed.ts";
import { sslExpiry } from "./ssl-expiry.ts";
import { sslProtocolDeprecated } from "./ssl-protocol-deprecated.ts";
import { sslSelfSigned } from "./ssl-self-signed.ts";

/** The rules of all alert conditions, by the type of the condition. */
export const conditionRules = defineFamily("condition rule", [
  consecutiveFailures,
  responseTimeThreshold,
  multiLocationFailure,
  sslExpiry,
  sslCertificateChanged,
  sslSelfSigned,
  sslProtocolDeprecated,
  burnRate,
  mcpSchemaDrift,
  baselineAnomaly,
  failureRatio,
  missedRuns,
]);

/** Types of conditions that are also evaluated between results. */
export const TYPES_BETWEEN_RESULTS: readonly ConditionType[] = conditionRules.members
  .filter(({ timeDriven }) => timeDriven === "between_results")
  .map(({ type }) => type);

/** Types of conditions that compare a metric with its baselines. */
export const TYPES_WITH_BASELINES: readonly ConditionType[] = conditionTypes.members
  .filter(({ usesBaselines }) => usesBaselines)
  .map(({ type }) => type);

/** Returns the rule of a condition's type. */
export function ruleOf({ type }: Pick<Condition, "type">): ConditionRule {
  return conditionRules.get(type);
}
