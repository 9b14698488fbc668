/** W3C trace contexts, which tie a run to the traces of the service that it watches. */
import { randomFillSync } from "node:crypto";
import { type CheckId, rootSpanIdOf } from "@svc/contract";
import { traceIdOfRun } from "@svc/contract/trace-id";
import type { ProbeContext, ProbeRequest } from "../run/probe.ts";

const TRACE_ID_BYTES = 16;
/** Random bytes are fetched for 256 ids at once, since each call to the system costs as much as several ids. */
const randomPool = Buffer.alloc(TRACE_ID_BYTES * 256);
let randomBytesUsed = randomPool.length;

/** A trace id, 32 hex digits, and the header that carries it. */
export interface TraceContext {
  traceId: string;
  traceparent: string;
}

/**
 * Returns the trace context of a run. That of a run whose result is stored follows from its check, location and slot: whoever else runs
 * the slot sends the same. Any other run gets a random one. Its span id is derived from its trace id, so that a run's root span can be
 * named later.
 */
export function traceContextOf(
  { checkId, slotMs }: Pick<ProbeRequest, "checkId" | "slotMs">,
  { locationId }: Pick<ProbeContext, "locationId">,
): TraceContext {
  if (locationId === undefined) return newTraceContext();
  return contextOf(traceIdOfRun({ checkId: checkId as CheckId, locationId, slotMs }));
}

/** Returns a new, random trace context, for requests that are not those of a stored result. */
export function newTraceContext(): TraceContext {
  if (randomBytesUsed === randomPool.length) {
    randomFillSync(randomPool);
    randomBytesUsed = 0;
  }
  const traceId = randomPool.toString("hex", randomBytesUsed, randomBytesUsed + TRACE_ID_BYTES);
  randomBytesUsed += TRACE_ID_BYTES;
  return contextOf(traceId);
}

function contextOf(traceId: string): TraceContext {
  return { traceId, traceparent: `00-${traceId}-${rootSpanIdOf(traceId)}-01` };
}

/** Returns the trace id of a traceparent header, 32 hex digits; undefined when the header is malformed. */
export function traceIdOf(traceparent: string): string | undefined {
  return /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/.exec(traceparent)?.[1];
}
