/** Client methods of alert rules. */
import type { AlertRule, UpdateAlertRule } from "../../resources/alert-rule.ts";
import type { alertRuleRoutes } from "../alert-rules.ts";
import type { NewAlertRule } from "./new-resources.ts";
import { readAll } from "./read-all.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof alertRuleRoutes;

/** Returns the client methods of alert rules. */
export const alertRuleMethods = (call: CallRoute) => ({
  /** Lists the alert rules that people wrote, of all checks. */
  listAlertRules: (): Promise<Omit<AlertRule, "channels">[]> =>
    readAll(
      (page) => call<Routes["listOfTeam"]>("GET", "/api/alerts", { query: page }),
      (answer) => answer.alerts,
    ),
  /** Lists the alert rules of a check with their channels and how far their baselines are. */
  listAlertRulesOfCheck: (checkId: string): Promise<AlertRule[]> =>
    readAll(
      (page) =>
        call<Routes["listOfCheck"]>("GET", "/api/checks/:id/alerts", {
          params: { id: checkId },
          query: page,
        }),
      (answer) => answer.alerts,
    ),
  createAlertRule: (checkId: string, rule: NewAlertRule) =>
    call<Routes["create"]>("POST", "/api/checks/:id/alerts", { params: { id: checkId }, body: rule }),
  updateAlertRule: (alertId: string, change: UpdateAlertRule) =>
    call<Routes["update"]>("PUT", "/api/alerts/:alertId", { params: { alertId }, body: change }),
  deleteAlertRule: (alertId: string) =>
    call<Routes["delete"]>("DELETE", "/api/alerts/:alertId", { params: { alertId } }),
});
