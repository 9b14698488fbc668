/** Reads when maintenance windows hold next. */
import type { maintenanceWindowRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../request.ts";
import { keptLive, SLOW_MS } from "./intervals.ts";

/** The occurrences of all windows that have not ended, the next first. */
export const occurrencesQuery = queryOptions({
  queryKey: ["maintenance occurrences"],
  queryFn: () =>
    request<typeof maintenanceWindowRoutes.listOccurrences>("GET", "/api/maintenance-windows/occurrences"),
  ...keptLive(SLOW_MS, { topics: ["change"] }),
});
