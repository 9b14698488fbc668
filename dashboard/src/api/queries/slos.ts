/** Reads SLOs and their error budgets. */
import type { sloRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../request.ts";
import { SLOW_MS } from "./intervals.ts";

/** The team's SLOs. */
export const slosQuery = queryOptions({
  queryKey: ["slos"],
  queryFn: () => request<typeof sloRoutes.list>("GET", "/api/slos"),
  refetchInterval: SLOW_MS,
});

/** How far an SLO's error budget is used. */
export const sloStatusQuery = (id: string) =>
  queryOptions({
    queryKey: ["slo status", id],
    queryFn: () => request<typeof sloRoutes.getStatus>("GET", "/api/slos/:id/status", { params: { id } }),
    refetchInterval: SLOW_MS,
  });
