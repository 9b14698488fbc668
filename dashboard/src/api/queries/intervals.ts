/** How often pages read anew while somebody looks, and which queries the live stream keeps up to date. */
import type { LiveTopic } from "@svc/contract";
import { serviceTimeMs } from "../../time/clock.ts";
import { RequestError } from "../request.ts";

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

/** Age from which on an answer was made for an earlier request rather than on the way. */
const KEPT_MIN_MS = 300;

let isStreaming = false;

/** Options of a query whose answer is edited: read once, so that nothing changes below the reader, and anew for the next edit. */
export const READ_ONCE = { staleTime: Number.POSITIVE_INFINITY, gcTime: 0, refetchOnWindowFocus: false };

/** Notes whether the live stream works at the moment. */
export function noteStreaming(streams: boolean): void {
  isStreaming = streams;
}

/** A query as far as {@link isGone} looks at it. */
export interface LiveQuery {
  meta?: { live?: LiveMeta } | undefined;
  state: { error: Error | null };
}

/** True for a query about a check that there is no more: the service answered 404. Ids are never given twice, so it is not asked again. */
export function isGone({ meta, state: { error } }: LiveQuery): boolean {
  return meta?.live?.checkId !== undefined && error instanceof RequestError && error.status === 404;
}

/** Options of a query that is read anew in an interval, seldom while the live stream says when it changes, and never once its check is gone. */
export function keptLive(intervalMs: number, live: LiveMeta) {
  const usualMs = () => (isStreaming ? STREAMED_MS : intervalMs);
  return { refetchInterval: (query: LiveQuery) => (isGone(query) ? false : usualMs()), meta: { live } };
}

/** State of a query that decides when it is read anew. */
interface ReadQuery<Data> extends LiveQuery {
  state: { data: Data | undefined; dataUpdatedAt: number; error: Error | null };
}

/**
 * Options as by {@link keptLive} for a query whose answers the service keeps for `cachedForMs`: what happened between such an answer
 * and this page is in no event that the page hears, so a kept answer is read once more.
 * @param asOf returns when the service made an answer, ISO 8601
 */
export function keptLiveByAge<Data>(
  intervalMs: number,
  live: LiveMeta & { cachedForMs: number },
  asOf: (data: Data) => string | undefined,
) {
  const usual = keptLive(intervalMs, live);
  return {
    ...usual,
    refetchInterval: (query: ReadQuery<Data>) => {
      const { data, dataUpdatedAt } = query.state;
      const madeAt = data === undefined ? undefined : asOf(data);
      const ageMs = madeAt === undefined ? 0 : serviceTimeMs(dataUpdatedAt) - Date.parse(madeAt);
      if (!isKept(ageMs, live.cachedForMs)) return usual.refetchInterval(query);
      // When the service no longer keeps it.
      return Math.max(KEPT_MIN_MS, live.cachedForMs - ageMs + KEPT_MIN_MS);
    },
  };
}

/** True for the age of an answer that the service had kept. A greater age than it keeps answers for is a difference of clocks. */
export function isKept(ageMs: number, cachedForMs: number): boolean {
  return ageMs >= KEPT_MIN_MS && ageMs <= cachedForMs + KEPT_MIN_MS;
}

declare module "@tanstack/react-query" {
  interface Register {
    queryMeta: { live?: LiveMeta };
  }
}
