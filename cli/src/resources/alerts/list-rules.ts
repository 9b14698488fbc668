/** Lists alert rules with the names of their monitors. */
import type { AlertRule, ApiClient } from "@svc/contract";

/** An alert rule with the name of its monitor; null when the monitor is gone. */
export type RuleOfMonitor = Omit<AlertRule, "channels"> & { checkName: string | null };

/** Returns the rules that people wrote, of all monitors. */
export async function listRules(api: ApiClient): Promise<RuleOfMonitor[]> {
  const [rules, checks] = await Promise.all([api.listAlertRules(), api.listCheckSummaries()]);
  const names = new Map(checks.map(({ id, name }) => [id, name]));
  return rules.map((rule) => ({ ...rule, checkName: names.get(rule.checkId) ?? null }));
}
