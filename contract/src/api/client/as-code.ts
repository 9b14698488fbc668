/** Client methods of records as code. */
import type { alertPolicyRoutes } from "../alert-policies.ts";
import type { alertRuleRoutes } from "../alert-rules.ts";
import type { channelRoutes } from "../channels.ts";
import type { checkRoutes } from "../checks.ts";
import type { maintenanceWindowRoutes } from "../maintenance-windows.ts";
import type { rotaRoutes } from "../rotas.ts";
import type { sloRoutes } from "../slos.ts";
import type { statusPageRoutes } from "../status-pages.ts";
import type { CallRoute } from "./rest-connection.ts";

/** Returns the client methods that give one record as the files of a config. */
export const asCodeMethods = (call: CallRoute) => ({
  getCheckAsCode: (id: string) =>
    call<(typeof checkRoutes)["getAsCode"]>("GET", "/api/checks/:id/as-code", { params: { id } }),
  getSloAsCode: (id: string) =>
    call<(typeof sloRoutes)["getAsCode"]>("GET", "/api/slos/:id/as-code", { params: { id } }),
  getAlertPolicyAsCode: (id: string) =>
    call<(typeof alertPolicyRoutes)["getAsCode"]>("GET", "/api/alert-policies/:id/as-code", {
      params: { id },
    }),
  getChannelAsCode: (id: string) =>
    call<(typeof channelRoutes)["getAsCode"]>("GET", "/api/notification-channels/:id/as-code", {
      params: { id },
    }),
  getMaintenanceWindowAsCode: (id: string) =>
    call<(typeof maintenanceWindowRoutes)["getAsCode"]>("GET", "/api/maintenance-windows/:id/as-code", {
      params: { id },
    }),
  getAlertRuleAsCode: (alertId: string) =>
    call<(typeof alertRuleRoutes)["getAsCode"]>("GET", "/api/alerts/:alertId/as-code", {
      params: { alertId },
    }),
  getRotaAsCode: (id: string) =>
    call<(typeof rotaRoutes)["getAsCode"]>("GET", "/api/rotas/:id/as-code", { params: { id } }),
  getStatusPageAsCode: (id: string) =>
    call<(typeof statusPageRoutes)["getAsCode"]>("GET", "/api/status-pages/:id/as-code", { params: { id } }),
});
