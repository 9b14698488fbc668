/** Reads how the team stands as a whole. */
import type { overviewRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { type Answer, request } from "../request.ts";
import { FAST_MS, keptLiveByAge } from "./intervals.ts";

/** Time for which the service may answer the overview that it has made before. */
const CACHED_MS = 1_000;

/** How the team stands, as JSON carries it. */
export type OverviewAnswer = Answer<typeof overviewRoutes.get>;

/** How the team stands: what fails, who is on it, and whether the picture is complete. The frame of every page shows parts of it. */
export const overviewQuery = queryOptions({
  queryKey: ["overview"],
  queryFn: () => request<typeof overviewRoutes.get>("GET", "/api/overview"),
  ...keptLiveByAge<OverviewAnswer>(
    FAST_MS,
    { topics: ["states", "alert", "incident", "location", "deployment", "change"], cachedForMs: CACHED_MS },
    ({ asOf }) => asOf,
  ),
});
