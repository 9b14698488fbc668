/** The rules of the alert conditions. To add one: its file beside this one, one line here, and its schema in the contract. */
import type { Condition, ConditionType } from "@svc/contract";
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

const RULES = [
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
];

const RULE_BY_TYPE = new Map<ConditionType, ConditionRule>(RULES.map((rule) => [rule.type, rule]));

export const CONDITION_RULE_NAMES = RULES.map((rule) => rule.type);

/** Types that may begin to hold between results. */
export const TIMED_CONDITIONS: readonly ConditionType[] = RULES.filter(
  ({ beginsWithTime }) => beginsWithTime === "looked_at",
).map(({ type }) => type);

/** The rule of a condition's type. */
export function ruleOf(condition: Pick<Condition, "type">): ConditionRule {
  const rule = RULE_BY_TYPE.get(condition.type);
  if (!rule) throw new Error(`no rule for conditions of type ${condition.type}`);
  return rule;
}
