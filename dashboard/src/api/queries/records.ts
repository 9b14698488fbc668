/** Reads deployments, events, maintenance windows and API specs. */
import type { deploymentRoutes, eventRoutes, maintenanceWindowRoutes, specRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request, requestRecord } from "../request.ts";
import { FAST_MS, READ_ONCE, SLOW_MS } from "./intervals.ts";

/** The newest deployments. */
export const deploymentsQuery = queryOptions({
  queryKey: ["deployments"],
  queryFn: () => request<typeof deploymentRoutes.list>("GET", "/api/deployments", { query: { limit: 100 } }),
  refetchInterval: SLOW_MS,
});

/** What a list of events is restricted to. */
export interface EventsFilter {
  type?: string;
  severity?: string;
  range?: string;
}

/** The newest events. @param isPaused true: they are read once and stay as they are */
export const eventsQuery = (filter: EventsFilter, isPaused: boolean) =>
  queryOptions({
    queryKey: ["events", filter],
    queryFn: () =>
      request<typeof eventRoutes.list>("GET", "/api/events", { query: { ...filter, limit: 100 } }),
    refetchInterval: isPaused ? false : FAST_MS,
    refetchOnWindowFocus: !isPaused,
  });

/** The team's maintenance windows. */
export const maintenanceQuery = queryOptions({
  queryKey: ["maintenance"],
  queryFn: () => request<typeof maintenanceWindowRoutes.list>("GET", "/api/maintenance-windows"),
  refetchInterval: SLOW_MS,
});

/** A maintenance window to be edited, with its version. */
export const editedWindowQuery = (id: string) =>
  queryOptions({
    queryKey: ["edited window", id],
    queryFn: () =>
      requestRecord<typeof maintenanceWindowRoutes.get>("GET", "/api/maintenance-windows/:id", {
        params: { id },
      }),
    ...READ_ONCE,
  });

/** The team's API specs. */
export const specsQuery = queryOptions({
  queryKey: ["specs"],
  queryFn: () => request<typeof specRoutes.list>("GET", "/api/specs"),
  refetchInterval: SLOW_MS,
});

/** An API spec with its operations. */
export const specQuery = (id: string) =>
  queryOptions({
    queryKey: ["spec", id],
    queryFn: () => request<typeof specRoutes.get>("GET", "/api/specs/:id", { params: { id } }),
    refetchInterval: SLOW_MS,
  });
