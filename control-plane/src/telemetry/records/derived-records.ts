/** Events that were put down with their attributes already (SLOs, incidents, deployments, certificates). Pure. */
import type { Severity, TelemetryEventName } from "@svc/contract";
import type { EventAttributes } from "../derived-event-store.ts";
import { ATTR, SERVICE_NAME } from "./attributes.ts";
import { type CheckFacts, checkResource } from "./check-resource.ts";
import { type LogRecord, logRecord, resourceOf } from "./otlp.ts";
import { summaryOf } from "./summary.ts";

export interface DerivedEventFacts {
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

/** @param check of a check-scoped event, unless it is gone */
export function derivedRecord(event: DerivedEventFacts, check: CheckFacts | undefined): LogRecord {
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
    body: summaryOf(event.name, event.attributes),
    atMs: event.occurredAtMs,
    observedAtMs: event.createdAtMs,
    traceId: event.traceId,
  });
}
