/** Reads the analysis of a check, and asks for a new one. */
import type { analysisRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { type Answer, request } from "../request.ts";
import { keptLive, SLOW_MS } from "./intervals.ts";

/** The newest insight into a check, and how many analyses it has had. */
export type LastAnalysis = Answer<typeof analysisRoutes.getLast>;

/** The newest insight into a check; null where there is none yet. */
export const analysisQuery = (id: string) =>
  queryOptions({
    queryKey: ["analysis", id],
    queryFn: () =>
      request<typeof analysisRoutes.getLast>("GET", "/api/checks/:id/analysis", { params: { id } }),
    ...keptLive(SLOW_MS, { topics: ["states"], checkId: id }),
  });

/** Analyses the stored evidence of a check. @throws RequestError 429 beyond its limits */
export const analyze = (id: string) =>
  request<typeof analysisRoutes.analyze>("POST", "/api/checks/:id/analyze", { params: { id } });
