/** The OpenTelemetry log records that the service emits. */
import { defineFamily } from "../base/family.ts";
import type { TelemetryEventDefinition } from "./define-event.ts";
import { type IncidentEventType, incidentEventTypes } from "./incident.ts";

type IncidentRecord = TelemetryEventDefinition<`synthetics.incident.${IncidentEventType}`>;

/** Each event of an incident is a log record as well. */
const incidentRecords = incidentEventTypes.members.map(
  ({ type, when }): IncidentRecord => ({
    type: `synthetics.incident.${type}`,
    when,
    severity: "by the incident's severity",
  }),
);

/** The log records that leave over OTLP, in the order in which they are documented. */
export const telemetryEventTypes = defineFamily("telemetry event", [
  {
    type: "synthetics.check.completed",
    when: "a run finished at a location",
    severity: "INFO on success, else ERROR",
  },
  {
    type: "synthetics.check.failed",
    when: "it failed, errored or timed out; beside completed",
    severity: "ERROR",
  },
  {
    type: "synthetics.step.completed",
    when: "a step of a browser run finished",
    severity: "INFO on success, else ERROR",
  },
  {
    type: "synthetics.alert.state_changed",
    when: "an alert instance changed: triggered, acknowledged, escalated, muted, unmuted, held, released, recovered, resolved",
    severity: "that of the instance: ERROR, WARN or INFO; INFO once it ended",
  },
  {
    type: "synthetics.slo.budget.warning",
    when: "an SLO crossed a burn-rate threshold",
    severity: "ERROR or WARN",
  },
  { type: "synthetics.maintenance_window.started", when: "a window began to hold", severity: "INFO" },
  { type: "synthetics.maintenance_window.ended", when: "a window ceased to hold", severity: "INFO" },
  { type: "synthetics.deployment.created", when: "a deployment was recorded", severity: "INFO" },
  {
    type: "synthetics.tls.certificate_observed",
    when: "a check sees a host's certificate for the first time, or a new one",
    severity: "INFO",
  },
  {
    type: "synthetics.tls.certificate_changed",
    when: "a location sees another certificate than at its run before; once per rollout, not per location",
    severity: "WARN",
  },
  {
    type: "synthetics.tls.expiring_soon",
    when: "a certificate in sight expires within 30, 14, 7, 3 or 1 days; each once per certificate",
    severity: "WARN, from 3 days ERROR",
  },
  {
    type: "synthetics.mcp.schema_drift",
    when: "an MCP server's tools or identity changed",
    severity: "WARN",
  },
  {
    type: "synthetics.correlation.detected",
    when: "two or more browser checks fail within 5 minutes on the same third party; once until that was quiet for 5 minutes",
    severity: "WARN",
  },
  {
    type: "synthetics.credential.created",
    when: "an API key or a runner key was made, by a person, by `svc login` or by the operator",
    severity: "INFO",
  },
  {
    type: "synthetics.credential.revoked",
    when: "an API key or a runner key was revoked; runner keys that go with their location have no record",
    severity: "INFO",
  },
  {
    type: "synthetics.location.health_changed",
    when: "a private location became active, degraded or offline",
    severity: "ERROR when offline, WARN when degraded, INFO when active",
  },
  {
    type: "synthetics.location.status_changed",
    when: "the operator deprecated or retired a hosted location where the team has checks, or put it in service again",
    severity: "WARN; INFO when it is active again",
  },
  {
    type: "synthetics.audit",
    when: "an action was recorded in the audit log",
    severity: "INFO; WARN for a failed sign-in",
  },
  ...incidentRecords,
]);
/** Name of an exported log record, such as `synthetics.audit`. */
export type TelemetryEventName = (typeof telemetryEventTypes)["types"][number];
