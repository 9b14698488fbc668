/** Reads how all checks stand, without their configurations. */
import type { ChecksSummary, checkRoutes, resultRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../request.ts";
import { FAST_MS, keptLive, keptLiveByAge } from "./intervals.ts";

/** Time for which the service may answer the summary that it has made before. */
const CACHED_MS = 1_000;

/** How all checks stand: one answer for 5,000 checks. */
export const summaryQuery = queryOptions({
  queryKey: ["summary"],
  queryFn: async () => {
    const parts: ChecksSummary[] = [];
    let cursor: string | undefined;
    do {
      const part = await request<typeof checkRoutes.getSummary>("GET", "/api/checks/summary", {
        query: { ...(cursor !== undefined && { cursor }) },
      });
      parts.push(part as ChecksSummary);
      cursor = part.nextCursor;
    } while (cursor !== undefined);
    return parts;
  },
  ...keptLiveByAge<ChecksSummary[]>(
    FAST_MS,
    { topics: ["states", "alert", "change"], cachedForMs: CACHED_MS },
    ([first]) => first && String(first.asOf),
  ),
});

/** The newest results of the checks in sight. @param ids at most 100 */
export const resultsInSightQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ["results in sight", ids],
    queryFn: async () => {
      const { checks } = await request<typeof resultRoutes.listHealth>("GET", "/api/checks/health", {
        query: { ids: ids.join(","), limit: 200 },
      });
      return new Map(checks.map(({ checkId, results }) => [checkId as string, results]));
    },
    placeholderData: (before) => before,
    enabled: ids.length > 0,
    ...keptLive(FAST_MS, { topics: ["states"] }),
  });
