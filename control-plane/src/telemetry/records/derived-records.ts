/** Converts stored derived events (of SLOs, incidents, deployments, certificates) to log records. Pure. */
import type { Severity, TelemetryEventName } from "@svc/contract";
import { findSummary } from "../derived-events/registry.ts";
import type { EventAttributes } from "../derived-events/store.ts";
import { ATTR, SERVICE_NAME } from "./attributes.ts";
import { checkResource, type ExportedCheck } from "./check-resource.ts";
import { type LogRecord, logRecord, resourceOf } from "./otlp.ts";

/** A stored derived event as the export reads it. */
export interface ExportedDerivedEvent {
  id: string;
  name: TelemetryEventName;
  severity: Severity;
  checkId: string | null;
  resourceAttributes: EventAttributes;
  attributes: EventAttributes;
  traceId: string | null;
  occurredAtMs: number;
  createdAtMs: number;
}

/**
 * Returns the log record of a derived event.
 * @param check the check of a check-scoped event; undefined when it was deleted long ago
 */
export function derivedRecord(event: ExportedDerivedEvent, check: ExportedCheck | undefined): LogRecord {
  return logRecord({
    eventName: event.name,
    severity: event.severity,
    resource: check
      ? checkResource(check, event.resourceAttributes)
      : resourceOf({
          [ATTR.serviceName]: SERVICE_NAME,
          [ATTR.checkId]: event.checkId,
          ...event.resourceAttributes,
        }),
    attributes: event.attributes,
    body: findSummary(event.name, event.attributes),
    atMs: event.occurredAtMs,
    observedAtMs: event.createdAtMs,
    traceId: event.traceId,
  });
}
