/** Reads what the service says of itself, and the team's OpenTelemetry export. */
import type { metaRoutes, telemetryRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../request.ts";
import { READ_ONCE, SLOW_MS } from "./intervals.ts";

/** Version, limits, retention, and what is set up. */
export const metaQuery = queryOptions({
  queryKey: ["meta"],
  queryFn: () => request<typeof metaRoutes.get>("GET", "/api/meta"),
  refetchInterval: SLOW_MS,
});

/** The settings of the export, to be edited. */
export const editedTelemetryQuery = queryOptions({
  queryKey: ["edited telemetry"],
  queryFn: () => request<typeof telemetryRoutes.getSettings>("GET", "/api/telemetry"),
  ...READ_ONCE,
});

/** The settings and the status of the export. */
export const telemetryQuery = queryOptions({
  queryKey: ["telemetry"],
  queryFn: () => request<typeof telemetryRoutes.getSettings>("GET", "/api/telemetry"),
  refetchInterval: SLOW_MS,
});
