/** Reads notifications. */
import type { notificationRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../request.ts";
import { FAST_MS } from "./intervals.ts";

/** The newest notifications that tell of an alert, an incident or a location. */
export const notificationsQuery = (subjectId: string) =>
  queryOptions({
    queryKey: ["notifications", subjectId],
    queryFn: () =>
      request<typeof notificationRoutes.list>("GET", "/api/notifications", {
        query: { subjectId, limit: 100 },
      }),
    refetchInterval: FAST_MS,
  });
