/** Reads notification channels and their deliveries. */
import type { channelRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../request.ts";
import { FAST_MS, SLOW_MS } from "./intervals.ts";

/** The team's notification channels, their credentials masked. */
export const channelsQuery = queryOptions({
  queryKey: ["channels"],
  queryFn: () =>
    request<typeof channelRoutes.list>("GET", "/api/notification-channels", { query: { secrets: "masked" } }),
  refetchInterval: SLOW_MS,
});

/** A channel, its credentials masked. */
export const channelQuery = (id: string) =>
  queryOptions({
    queryKey: ["channel", id],
    queryFn: () =>
      request<typeof channelRoutes.get>("GET", "/api/notification-channels/:id", {
        params: { id },
        query: { secrets: "masked" },
      }),
    refetchInterval: SLOW_MS,
  });

/** The newest attempts to deliver to a channel. */
export const deliveriesQuery = (id: string) =>
  queryOptions({
    queryKey: ["deliveries", id],
    queryFn: () =>
      request<typeof channelRoutes.listDeliveries>("GET", "/api/notification-channels/:id/deliveries", {
        params: { id },
        query: { limit: 50 },
      }),
    refetchInterval: FAST_MS,
  });
