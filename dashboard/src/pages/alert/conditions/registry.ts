/** The words about all condition types. To add one: its file beside this one and one line here. */
import type { ConditionType } from "@svc/contract";
import { baselineAnomaly } from "./baseline-anomaly.ts";
import { burnRate } from "./burn-rate.ts";
import type { ConditionWords, Evidence, SaidCondition } from "./condition-words.ts";
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

const WORDS: readonly ConditionWords[] = [
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

/** The condition types that have words. */
export const SAID_TYPES: readonly ConditionType[] = WORDS.map(({ type }) => type);

/** Returns the words about a condition's evidence; undefined when its type or its shape is unknown to this version. */
export function sayCondition(type: unknown, evidence: Evidence): SaidCondition | undefined {
  return WORDS.find((words) => words.type === type)?.say(evidence);
}
