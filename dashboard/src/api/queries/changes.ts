/** Reads the change log. */
import type { changeRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../request.ts";
import { keptLive, SLOW_MS } from "./intervals.ts";

/** The newest changes of the configuration. */
export const changesQuery = queryOptions({
  queryKey: ["changes"],
  queryFn: () => request<typeof changeRoutes.list>("GET", "/api/changes", { query: { limit: 100 } }),
  ...keptLive(SLOW_MS, { topics: ["change"] }),
});
