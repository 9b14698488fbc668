/** Reads incidents. */
import type { incidentRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { firstParts, keptOf } from "../all-parts.ts";
import { request } from "../request.ts";
import { FAST_MS, keptLive } from "./intervals.ts";

/** Incidents, newest first. @param parts number of hundreds to read */
export const incidentsQuery = (state: string, parts = 1) =>
  queryOptions({
    queryKey: ["incidents", state, parts],
    queryFn: async () => {
      const { entries, hasMore } = await firstParts(
        (page) => request<typeof incidentRoutes.list>("GET", "/api/incidents", { query: { state, ...page } }),
        (part) => part.incidents,
        parts,
      );
      return { incidents: entries, hasMore };
    },
    placeholderData: keptOf(state),
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
