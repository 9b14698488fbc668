/** Reads what deploys of config projects did and would do. */
import type { deployBaselineRoutes, deployPlanRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../request.ts";
import { keptLive, READ_ONCE, SLOW_MS } from "./intervals.ts";

/** A published plan. */
export const deployPlanQuery = (id: string) =>
  queryOptions({
    queryKey: ["deploy plan", id],
    queryFn: () => request<typeof deployPlanRoutes.get>("GET", "/api/plans/:id", { params: { id } }),
    ...READ_ONCE,
  });

/** What each config project deployed last, and what was changed since. */
export const projectsQuery = queryOptions({
  queryKey: ["projects"],
  queryFn: () => request<typeof deployBaselineRoutes.listProjects>("GET", "/api/projects"),
  ...keptLive(SLOW_MS, { topics: ["change"] }),
});
