/** The one way in which a trace leaves a process or comes to one: W3C's `traceparent`. Costs nothing while tracing is off. */
import { isSpanContextValid, type SpanContext, TraceFlags, trace } from "@opentelemetry/api";

/** Name of the tracer of everything that the control plane traces. */
export const TRACER = "svc-control-plane";

/** Returns trace and span of what is being done now; null: that is not traced, or not sampled. */
export function activeTraceparent(): string | null {
  const span = trace.getActiveSpan()?.spanContext();
  return span && isSampled(span) ? traceparentOf(span) : null;
}

/** Returns the span that a traceparent of ours names; undefined when it is malformed. */
export function spanContextOf(traceparent: string): SpanContext | undefined {
  const [, traceId = "", spanId = ""] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(traceparent) ?? [];
  const context = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}

function isSampled({ traceFlags }: SpanContext): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0;
}

function traceparentOf({ traceId, spanId }: SpanContext): string {
  return `00-${traceId}-${spanId}-01`;
}
