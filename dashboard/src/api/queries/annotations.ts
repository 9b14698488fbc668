/** Reads annotations: what happened beside the results. */
import type { annotationRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../request.ts";
import { keptLive, SLOW_MS } from "./intervals.ts";

/** Annotations in a range of time, newest first. @param query `from`, `to`: ISO instants; `checkId`: only what is about this check */
export const annotationsQuery = (query: { checkId?: string; from: string; to?: string }) =>
  queryOptions({
    queryKey: ["annotations", query],
    queryFn: () => request<typeof annotationRoutes.list>("GET", "/api/annotations", { query }),
    ...keptLive(SLOW_MS, { topics: ["deployment", "change", "alert", "incident"] }),
  });

/** Returns the query of what happened beside a check's results in a range. Equal queries are read once. */
export function annotationsOf(checkId: string, { fromMs, toMs }: { fromMs: number; toMs: number }) {
  const iso = (ms: number) => new Date(ms).toISOString();
  return { checkId, from: iso(fromMs), to: iso(toMs) };
}
