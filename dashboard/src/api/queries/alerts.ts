/** Reads alerts. */
import type { alertInstanceRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { firstParts, keptOf } from "../all-parts.ts";
import { request } from "../request.ts";
import { FAST_MS, keptLive } from "./intervals.ts";

/** Filter of a list of alerts. */
interface AlertsFilter {
  /** Comma-separated. */
  state?: string;
  /** Comma-separated. */
  severity?: string;
  /** A label of the check. */
  label?: string;
  checkId?: string;
  /** ISO instants between which the alerts began. */
  from?: string;
  to?: string;
}

/** Alerts, newest first. @param parts number of hundreds to read */
export const alertsQuery = (filter: AlertsFilter, parts = 1) =>
  queryOptions({
    queryKey: ["alerts", filter, parts],
    queryFn: async () => {
      const { entries, hasMore } = await firstParts(
        (page) =>
          request<typeof alertInstanceRoutes.list>("GET", "/api/alerts/instances", {
            query: { ...filter, ...page },
          }),
        (part) => part.instances,
        parts,
      );
      return { instances: entries, hasMore };
    },
    placeholderData: keptOf(filter),
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
