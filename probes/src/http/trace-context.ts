/** W3C trace contexts, which tie a run to the traces of the service that it watches. */
import { randomFillSync } from "node:crypto";
import { rootSpanIdOf } from "@svc/contract";

const TRACE_ID_BYTES = 16;
/** Random bytes are fetched for 256 ids at once, since each call to the system costs as much as several ids. */
const randomPool = Buffer.alloc(TRACE_ID_BYTES * 256);
let randomBytesUsed = randomPool.length;

/** Returns a new trace context. Its span id is derived from its trace id, so that a run's root span can be named later. */
export function newTraceContext(): { traceId: string; traceparent: string } {
  if (randomBytesUsed === randomPool.length) {
    randomFillSync(randomPool);
    randomBytesUsed = 0;
  }
  const traceId = randomPool.toString("hex", randomBytesUsed, randomBytesUsed + TRACE_ID_BYTES);
  randomBytesUsed += TRACE_ID_BYTES;
  return { traceId, traceparent: `00-${traceId}-${rootSpanIdOf(traceId)}-01` };
}

/** Returns the trace id of a traceparent header, 32 hex digits; undefined when the header is malformed. */
export function traceIdOf(traceparent: string): string | undefined {
  return /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/.exec(traceparent)?.[1];
}
