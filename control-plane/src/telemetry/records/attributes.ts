/**
 * Names of the attributes that records carry. Those of OpenTelemetry's semantic conventions come from their package; the
 * rest begin with `synthetics.`. Each is described in docs/telemetry.md, which a test compares with this list.
 */
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVICE_NAME,
  ATTR_URL_FULL,
} from "@opentelemetry/semantic-conventions";
import {
  ATTR_ERROR_MESSAGE,
  ATTR_TLS_CIPHER,
  ATTR_TLS_PROTOCOL_VERSION,
  ATTR_TLS_SERVER_HASH_SHA256,
  ATTR_TLS_SERVER_ISSUER,
  ATTR_TLS_SERVER_NOT_AFTER,
  ATTR_TLS_SERVER_NOT_BEFORE,
  ATTR_TLS_SERVER_SUBJECT,
} from "@opentelemetry/semantic-conventions/incubating";

export const ATTR = {
  serviceName: ATTR_SERVICE_NAME,
  urlFull: ATTR_URL_FULL,
  checkId: "synthetics.check.id",
  checkName: "synthetics.check.name",
  checkType: "synthetics.check.type",
  runId: "synthetics.run.id",
  resultId: "synthetics.result.id",
  locationId: "synthetics.location.id",
  locationName: "synthetics.location.name",
  checkStatus: "synthetics.check.status",
  responseTimeMs: "synthetics.response_time_ms",
  httpStatusCode: ATTR_HTTP_RESPONSE_STATUS_CODE,
  errorType: ATTR_ERROR_TYPE,
  errorMessage: ATTR_ERROR_MESSAGE,
  dnsLookupMs: "synthetics.timing.dns_lookup_ms",
  tcpConnectMs: "synthetics.timing.tcp_connect_ms",
  tlsHandshakeMs: "synthetics.timing.tls_handshake_ms",
  ttfbMs: "synthetics.timing.ttfb_ms",
  contentTransferMs: "synthetics.timing.content_transfer_ms",
  stepName: "synthetics.step.name",
  stepIndex: "synthetics.step.index",
  stepStatus: "synthetics.step.status",
  stepDurationMs: "synthetics.step.duration_ms",
  driftAddedCount: "synthetics.mcp.drift.added_count",
  driftRemovedCount: "synthetics.mcp.drift.removed_count",
  driftModifiedCount: "synthetics.mcp.drift.modified_count",
  driftTotalCount: "synthetics.mcp.drift.total_count",
  driftAddedTools: "synthetics.mcp.drift.added_tools",
  driftRemovedTools: "synthetics.mcp.drift.removed_tools",
  driftModifiedTools: "synthetics.mcp.drift.modified_tools",
  driftEscalatedTools: "synthetics.mcp.drift.escalated_tools",
  driftServerFields: "synthetics.mcp.drift.server_fields",
  alertInstanceId: "synthetics.alert.instance_id",
  alertRuleId: "synthetics.alert.rule_id",
  alertRuleName: "synthetics.alert.rule_name",
  alertEventType: "synthetics.alert.event_type",
  alertState: "synthetics.alert.state",
  alertSeverity: "synthetics.alert.severity",
  alertActor: "synthetics.alert.actor",
  alertSummary: "synthetics.alert.summary",
  maintenanceWindowId: "synthetics.maintenance_window.id",
  maintenanceWindowName: "synthetics.maintenance_window.name",
  maintenanceWindowMode: "synthetics.maintenance_window.mode",
  maintenanceWindowStartsAt: "synthetics.maintenance_window.starts_at",
  maintenanceWindowEndsAt: "synthetics.maintenance_window.ends_at",
  serverAddress: ATTR_SERVER_ADDRESS,
  tlsSha256: ATTR_TLS_SERVER_HASH_SHA256,
  tlsIssuer: ATTR_TLS_SERVER_ISSUER,
  tlsSubject: ATTR_TLS_SERVER_SUBJECT,
  tlsNotBefore: ATTR_TLS_SERVER_NOT_BEFORE,
  tlsNotAfter: ATTR_TLS_SERVER_NOT_AFTER,
  tlsProtocolVersion: ATTR_TLS_PROTOCOL_VERSION,
  tlsCipher: ATTR_TLS_CIPHER,
  tlsIsTrusted: "synthetics.tls.trusted",
  tlsIsSelfSigned: "synthetics.tls.self_signed",
  tlsPreviousSha256: "synthetics.tls.previous_hash.sha256",
  tlsDaysLeft: "synthetics.tls.days_left",
  tlsThresholdDays: "synthetics.tls.threshold_days",
  correlationDependency: "synthetics.correlation.dependency",
  correlationCheckIds: "synthetics.correlation.check_ids",
  correlationCheckNames: "synthetics.correlation.check_names",
  correlationCheckCount: "synthetics.correlation.check_count",
  correlationWindowSeconds: "synthetics.correlation.window_seconds",
} as const;

/** Before the key of a check's label. */
export const LABEL_ATTRIBUTE_PREFIX = "svc.label.";
/** Value of `service.name`. */
export const SERVICE_NAME = "synthetics";
/** Longest text of an attribute, characters; more is cut off. */
export const TEXT_MAX = 4_096;
