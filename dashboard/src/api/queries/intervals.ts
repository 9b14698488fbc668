/** How often pages read anew while somebody looks, and which queries the live stream keeps up to date. */
import type { LiveTopic } from "@svc/contract";

/** Interval of what changes with every run. */
export const FAST_MS = 5_000;
/** Interval of what people change. */
export const SLOW_MS = 30_000;
/** Interval of what the live stream keeps up to date. */
const STREAMED_MS = 60_000;

/** Events of the live stream after which a query is read anew. */
export interface LiveMeta {
  topics: readonly LiveTopic[];
  /** Check that the query is about, of which the stream then carries every result; absent: events of any check count. */
  checkId?: string;
  /** Time for which the service may answer what it has answered before: the query is read once more after it. */
  cachedForMs?: number;
}

let isStreaming = false;

/** Notes whether the live stream works at the moment. */
export function noteStreaming(streams: boolean): void {
  isStreaming = streams;
}

/** Options of a query that is read anew in an interval, seldom while the live stream says when it changes. */
export function keptLive(intervalMs: number, live: LiveMeta) {
  return { refetchInterval: () => (isStreaming ? STREAMED_MS : intervalMs), meta: { live } };
}

declare module "@tanstack/react-query" {
  interface Register {
    queryMeta: { live?: LiveMeta };
  }
}
