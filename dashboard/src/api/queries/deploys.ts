/** Reads what deploys of config projects did and would do. */
import type { deployPlanRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../request.ts";
import { READ_ONCE } from "./intervals.ts";

/** A published plan. */
export const deployPlanQuery = (id: string) =>
  queryOptions({
    queryKey: ["deploy plan", id],
    queryFn: () => request<typeof deployPlanRoutes.get>("GET", "/api/plans/:id", { params: { id } }),
    ...READ_ONCE,
  });
