/**
 * Converts a result to a trace: a root span, and below it the phases of the request or the steps of the browser run. The
 * target received the root span's id with the request, so that its own spans appear below it. Pure.
 */
import { createHash } from "node:crypto";
import { type ResultStatus, resultIdOf, rootSpanIdOf } from "@svc/contract";
import type { EventAttributes } from "../derived-events/store.ts";
import { ATTR } from "./attributes.ts";
import { type ExportedResult, endOf, runAttributesOf, startOf, statusOf } from "./check-records.ts";
import { attributesOf, hrTimeOf, type Resource, SCOPE, type Span } from "./otlp.ts";

/** OpenTelemetry's SpanKind and SpanStatusCode. */
const KIND = { internal: 0, client: 2 } as const;
const STATUS = { unset: 0, error: 2 } as const;

interface SpanParts {
  name: string;
  kind: number;
  spanId: string;
  startMs: number;
  endMs: number;
  status: ResultStatus;
  errorMessage: string | null | undefined;
  attributes: EventAttributes;
}

/** Returns the spans of a result, the root first. */
export function spansOfResult(result: ExportedResult, checkName: string, resource: Resource): Span[] {
  const traceId = traceIdOf(result);
  const rootId = rootSpanIdOf(traceId);
  const root: SpanParts = {
    name: checkName,
    kind: KIND.client,
    spanId: rootId,
    startMs: startOf(result),
    endMs: endOf(result),
    status: statusOf(result),
    errorMessage: result.errorMessage,
    attributes: {
      ...runAttributesOf(result),
      [ATTR.resultId]: resultIdOf(result),
      [ATTR.httpStatusCode]: result.httpStatusCode,
      [ATTR.errorType]: result.errorCategory,
    },
  };
  const children = result.steps?.length ? stepSpans(result.steps) : phaseSpans(result);
  return [
    span(root, { traceId, parentId: undefined }, resource),
    ...children.map((child, index) =>
      span({ ...child, spanId: childSpanId(traceId, index) }, { traceId, parentId: rootId }, resource),
    ),
  ];
}

/** Returns the run's trace id; for a run that sent none, one derived from the result's id. */
function traceIdOf(result: ExportedResult): string {
  return result.traceId ?? digest(resultIdOf(result)).slice(0, 32);
}

/** Returns the id of a child span. The id is derived, so that it does not change if the result is exported again. */
function childSpanId(traceId: string, index: number): string {
  return digest(`${traceId}:${index}`).slice(0, 16);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The phases in order; each begins where the one before it ended. */
const PHASES = [
  ["DNS lookup", "dnsLookupUs"],
  ["TCP connect", "tcpConnectUs"],
  ["TLS handshake", "tlsHandshakeUs"],
  ["time to first byte", "ttfbUs"],
  ["content transfer", "contentTransferUs"],
] as const;

function phaseSpans(result: ExportedResult): Omit<SpanParts, "spanId">[] {
  let atMs = startOf(result);
  return PHASES.flatMap(([name, column]) => {
    const us = result[column];
    if (us === null) return [];
    const startMs = atMs;
    atMs += us / 1000;
    return [{ name, startMs, endMs: atMs, ...PLAIN }];
  });
}

const PLAIN = { kind: KIND.internal, status: "success", errorMessage: undefined, attributes: {} } as const;

function stepSpans(steps: NonNullable<ExportedResult["steps"]>): Omit<SpanParts, "spanId">[] {
  return steps.map((step, index) => {
    const startMs = Date.parse(step.startedAt);
    return {
      name: step.name,
      kind: KIND.internal,
      startMs,
      endMs: startMs + step.durationMs,
      status: step.status,
      errorMessage: step.errorMessage,
      attributes: { [ATTR.stepIndex]: index, [ATTR.stepStatus]: step.status },
    };
  });
}

function span(
  parts: SpanParts,
  { traceId, parentId }: { traceId: string; parentId: string | undefined },
  resource: Resource,
): Span {
  const { name, kind, spanId, startMs, endMs, status, errorMessage, attributes } = parts;
  const context = { traceId, spanId, traceFlags: 1 };
  const isFailed = status !== "success";
  return {
    name,
    kind,
    spanContext: () => context,
    ...(parentId === undefined ? {} : { parentSpanContext: { traceId, spanId: parentId, traceFlags: 1 } }),
    startTime: hrTimeOf(startMs),
    endTime: hrTimeOf(endMs),
    duration: hrTimeOf(endMs - startMs),
    ended: true,
    status: isFailed
      ? { code: STATUS.error, ...(errorMessage ? { message: errorMessage } : {}) }
      : { code: STATUS.unset },
    attributes: attributesOf(attributes),
    links: [],
    events: [],
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}
