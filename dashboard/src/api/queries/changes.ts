/** Reads the change log. */
import type { changeRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../request.ts";
import { keptLive, SLOW_MS } from "./intervals.ts";

/** Filter of a list of changes. */
interface ChangesFilter {
  type?: string;
  source?: string;
  /** Id of the changed record. */
  resourceId?: string;
}

/** The newest changes of the configuration. */
export const changesQuery = (filter: ChangesFilter) =>
  queryOptions({
    queryKey: ["changes", filter],
    queryFn: () =>
      request<typeof changeRoutes.list>("GET", "/api/changes", { query: { ...filter, limit: 100 } }),
    ...keptLive(SLOW_MS, { topics: ["change"] }),
  });
