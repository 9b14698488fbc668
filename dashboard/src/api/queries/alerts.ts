/** Reads alerts. */
import type { alertInstanceRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../request.ts";
import { FAST_MS, keptLive } from "./intervals.ts";

/** Alerts, newest first. @param filter `state`, comma-separated, and `checkId` */
export const alertsQuery = (filter: { state?: string; checkId?: string }) =>
  queryOptions({
    queryKey: ["alerts", filter],
    queryFn: () =>
      request<typeof alertInstanceRoutes.list>("GET", "/api/alerts/instances", {
        query: { ...filter, limit: 100 },
      }),
    ...keptLive(FAST_MS, { topics: ["alert", "change"] }),
  });

/** An alert with its history. */
export const alertQuery = (id: string) =>
  queryOptions({
    queryKey: ["alert", id],
    queryFn: () =>
      request<typeof alertInstanceRoutes.get>("GET", "/api/alerts/instances/:id", { params: { id } }),
    ...keptLive(FAST_MS, { topics: ["alert"] }),
  });
