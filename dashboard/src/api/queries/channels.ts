/** Reads notification channels. */
import type { channelRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../request.ts";
import { SLOW_MS } from "./intervals.ts";

/** The team's notification channels. */
export const channelsQuery = queryOptions({
  queryKey: ["channels"],
  queryFn: () => request<typeof channelRoutes.list>("GET", "/api/notification-channels"),
  refetchInterval: SLOW_MS,
});
