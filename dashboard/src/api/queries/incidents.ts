/** Reads incidents. */
import type { incidentRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../request.ts";
import { FAST_MS, keptLive } from "./intervals.ts";

/** Incidents, newest first. */
export const incidentsQuery = (state: string) =>
  queryOptions({
    queryKey: ["incidents", state],
    queryFn: () =>
      request<typeof incidentRoutes.list>("GET", "/api/incidents", { query: { state, limit: 100 } }),
    ...keptLive(FAST_MS, { topics: ["incident"] }),
  });

/** An incident with its events and alerts. */
export const incidentQuery = (id: string) =>
  queryOptions({
    queryKey: ["incident", id],
    queryFn: () => request<typeof incidentRoutes.get>("GET", "/api/incidents/:id", { params: { id } }),
    ...keptLive(FAST_MS, { topics: ["incident", "alert"] }),
  });

/** The incident that an alert belongs to: a list of one, or none. */
export const incidentOfAlertQuery = (alertId: string) =>
  queryOptions({
    queryKey: ["incidents", { alertId }],
    queryFn: () => request<typeof incidentRoutes.list>("GET", "/api/incidents", { query: { alertId } }),
    refetchInterval: FAST_MS,
  });
