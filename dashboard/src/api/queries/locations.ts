/** Reads locations. */
import type { locationRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../request.ts";
import { SLOW_MS } from "./intervals.ts";

/** The locations that the team can use. */
export const locationsQuery = queryOptions({
  queryKey: ["locations"],
  queryFn: () => request<typeof locationRoutes.list>("GET", "/api/locations"),
  refetchInterval: SLOW_MS,
});
