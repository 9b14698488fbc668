/** Client methods of alert rules. */
import type { Condition } from "../../conditions/registry.ts";
import type { AlertRule, UpdateAlertRule } from "../../resources/alert-rule.ts";
import type { alertRuleRoutes } from "../alert-rules.ts";
import type { NewAlertRule } from "./new-resources.ts";
import { readAll } from "./read-all.ts";
import type { CallRoute } from "./rest-connection.ts";

/** Parts of a rule that decide when it fires. */
interface PreviewedRule {
  conditions: readonly Condition[];
  confirm: boolean;
  recovery: { consecutiveSuccesses: number };
}

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
  explainAlertRule: (alertId: string) =>
    call<Routes["explain"]>("GET", "/api/alerts/:alertId/explain", { params: { alertId } }),
  /** Tells what a rule would have done over the last days. @param range `1d` to `30d` */
  previewAlertRule: (checkId: string, rule: PreviewedRule, range: string) => {
    const { conditions, confirm, recovery } = rule;
    const body = { checkId, conditions: [...conditions], confirm, recovery, range };
    return call<Routes["preview"]>("POST", "/api/alerts/preview", { body });
  },
  deleteAlertRule: (alertId: string) =>
    call<Routes["delete"]>("DELETE", "/api/alerts/:alertId", { params: { alertId } }),
});
