/** Alert rules with the names of their monitors. */
import type { AlertRule, ApiClient } from "@svc/contract";

export type RuleOfMonitor = Omit<AlertRule, "channels"> & { checkName: string | null };

/** The rules that people wrote, of all monitors. */
export async function readRules(api: ApiClient): Promise<RuleOfMonitor[]> {
  const [rules, checks] = await Promise.all([api.listAlertRules(), api.listChecks()]);
  const names = new Map(checks.map(({ id, name }) => [id, name]));
  return rules.map((rule) => ({ ...rule, checkName: names.get(rule.checkId) ?? null }));
}
