/** Reads notification channels and their deliveries. */
import type { channelRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { allParts, partQuery } from "../all-parts.ts";
import { type Answer, request, requestRecord } from "../request.ts";
import { FAST_MS, keptLive, READ_ONCE, SLOW_MS } from "./intervals.ts";

/** How a channel stands. */
export type Standing = Answer<typeof channelRoutes.listStandings>["standings"][number];

/** The team's notification channels, their credentials masked. */
export const channelsQuery = queryOptions({
  queryKey: ["channels"],
  queryFn: () =>
    request<typeof channelRoutes.list>("GET", "/api/notification-channels", { query: { secrets: "masked" } }),
  ...keptLive(SLOW_MS, { topics: ["change"] }),
});

/** How the team's channels stand, by channel. */
export const channelStandingsQuery = queryOptions({
  queryKey: ["channel standings"],
  queryFn: async () => {
    const standings = await allParts(
      (cursor) =>
        request<typeof channelRoutes.listStandings>("GET", "/api/notification-channels/standings", {
          query: partQuery(cursor),
        }),
      (part) => part.standings,
    );
    return new Map<string, Standing>(standings.map((standing) => [standing.channelId, standing]));
  },
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

/** A channel to be edited, its credentials masked, with its version. */
export const editedChannelQuery = (id: string) =>
  queryOptions({
    queryKey: ["edited channel", id],
    queryFn: () =>
      requestRecord<typeof channelRoutes.get>("GET", "/api/notification-channels/:id", {
        params: { id },
        query: { secrets: "masked" },
      }),
    ...READ_ONCE,
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
