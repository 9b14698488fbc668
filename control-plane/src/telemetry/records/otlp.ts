/** Builds the shapes that OTLP's serializers accept from plain objects. */
import type {
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from "@opentelemetry/otlp-transformer";
import { firstCharacters, rootSpanIdOf, type Severity, type TelemetryEventName } from "@svc/contract";
import { VERSION } from "../../platform/version.ts";
import type { EventAttributes } from "../derived-events/store.ts";
import { TEXT_MAX } from "./attributes.ts";

/** A log record as the serializer accepts it. */
export type LogRecord = Parameters<typeof ProtobufLogsSerializer.serializeRequest>[0][number];
/** A span as the serializer accepts it. */
export type Span = Parameters<typeof ProtobufTraceSerializer.serializeRequest>[0][number];
/** All metrics of one resource as the serializer accepts them. */
export type CheckMetrics = Parameters<typeof ProtobufMetricsSerializer.serializeRequest>[0];
/** The resource of records: service, check and location. */
export type Resource = LogRecord["resource"];
/** Attributes of a record by their names. */
export type Attributes = Span["attributes"];
type HrTime = LogRecord["hrTime"];

/** The scope of all records. A single object, since the serializers group by identity. */
export const SCOPE = { name: "svc", version: VERSION };

/** Returns a resource. Records of one resource must share the object, since the serializers group by identity. */
export function resourceOf(attributes: EventAttributes): Resource {
  return { attributes: attributesOf(attributes) } as Resource;
}

/** Returns the attributes without null and undefined values; long texts are cut. */
export function attributesOf(attributes: EventAttributes): Attributes {
  const kept: Record<string, string | number | boolean | string[]> = {};
  for (const name in attributes) {
    const value = attributes[name];
    if (value === null || value === undefined) continue;
    if (typeof value === "string") kept[name] = cut(value);
    else if (typeof value === "object") kept[name] = value.map(cut);
    else kept[name] = value;
  }
  return kept as Attributes;
}

function cut(text: string): string {
  return text.length > TEXT_MAX ? firstCharacters(text, TEXT_MAX).toWellFormed() : text;
}

/** OpenTelemetry's severity numbers, SEVERITY_NUMBER_INFO and so on. */
const SEVERITIES = {
  info: { number: 9, text: "INFO" },
  warning: { number: 13, text: "WARN" },
  critical: { number: 17, text: "ERROR" },
} as const;

/** The contents of a log record, before conversion. */
export interface LogRecordParts {
  eventName: TelemetryEventName | typeof TEST_EVENT_NAME;
  severity: Severity;
  resource: Resource;
  attributes: EventAttributes;
  /** One line for people. */
  body?: string | undefined;
  /** Instants at which the event happened and at which the service learned of it; Unix ms. */
  atMs: number;
  observedAtMs: number;
  /** 32 hex digits: the trace of the run; the record belongs to its root span. */
  traceId?: string | null | undefined;
}

/** Name of the record that POST /api/telemetry/test sends. */
export const TEST_EVENT_NAME = "synthetics.telemetry.test";

/** Returns a log record in OTLP's JSON form. */
export function logRecord(parts: LogRecordParts): LogRecord {
  const { eventName, severity, resource, attributes, body, atMs, observedAtMs, traceId } = parts;
  return {
    eventName,
    severityNumber: SEVERITIES[severity].number,
    severityText: SEVERITIES[severity].text,
    resource,
    instrumentationScope: SCOPE,
    attributes: attributesOf(attributes),
    droppedAttributesCount: 0,
    hrTime: hrTimeOf(atMs),
    hrTimeObserved: hrTimeOf(observedAtMs),
    ...(body === undefined ? {} : { body: cut(body) }),
    ...(traceId ? { spanContext: { traceId, spanId: rootSpanIdOf(traceId), traceFlags: 1 } } : {}),
  };
}

/**
 * Returns an instant as seconds and nanoseconds.
 * @param ms Unix ms, with fractions
 */
export function hrTimeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
