/** Questions for records as code: what `svc` would read of them. */
import type {
  alertPolicyRoutes,
  alertRuleRoutes,
  channelRoutes,
  checkRoutes,
  maintenanceWindowRoutes,
  rotaRoutes,
  sloRoutes,
  statusPageRoutes,
} from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../request.ts";
import { keptLive, READ_ONCE, SLOW_MS } from "./intervals.ts";

/** Requests for one record as code, by the kind of the record. */
const REQUESTS = {
  alertPolicy: (id: string) =>
    request<typeof alertPolicyRoutes.getAsCode>("GET", "/api/alert-policies/:id/as-code", { params: { id } }),
  alertRule: (alertId: string) =>
    request<typeof alertRuleRoutes.getAsCode>("GET", "/api/alerts/:alertId/as-code", { params: { alertId } }),
  channel: (id: string) =>
    request<typeof channelRoutes.getAsCode>("GET", "/api/notification-channels/:id/as-code", {
      params: { id },
    }),
  maintenanceWindow: (id: string) =>
    request<typeof maintenanceWindowRoutes.getAsCode>("GET", "/api/maintenance-windows/:id/as-code", {
      params: { id },
    }),
  rota: (id: string) =>
    request<typeof rotaRoutes.getAsCode>("GET", "/api/rotas/:id/as-code", { params: { id } }),
  statusPage: (id: string) =>
    request<typeof statusPageRoutes.getAsCode>("GET", "/api/status-pages/:id/as-code", { params: { id } }),
  slo: (id: string) =>
    request<typeof sloRoutes.getAsCode>("GET", "/api/slos/:id/as-code", { params: { id } }),
} as const;
/** Kind of record, beside checks, that has a page as code. */
export type RecordKind = keyof typeof REQUESTS;

/** A record as the files of a config, without secrets. */
export const recordAsCodeQuery = (kind: RecordKind, id: string) =>
  queryOptions({
    queryKey: ["as-code", kind, id],
    queryFn: () => REQUESTS[kind](id),
    ...keptLive(SLOW_MS, { topics: ["change"] }),
  });

/** A check as the files of a config, without secrets. */
export const asCodeQuery = (id: string) =>
  queryOptions({
    queryKey: ["as-code", id],
    queryFn: () =>
      request<typeof checkRoutes.getAsCode>("GET", "/api/checks/:id/as-code", { params: { id } }),
    ...keptLive(SLOW_MS, { topics: ["change"] }),
  });

/** All that the team has, as the files of a config. */
export const teamAsCodeQuery = queryOptions({
  queryKey: ["as-code"],
  queryFn: () => request<typeof checkRoutes.getTeamAsCode>("GET", "/api/as-code"),
  ...READ_ONCE,
});
