/** Finds the alert rule that a typed name or id means. */
import type { ApiClient } from "@svc/contract";
import { pickNamed } from "../../lookup/pick-named.ts";
import { listRules, type RuleOfMonitor } from "./list-rules.ts";

/** Argument of commands about one alert rule. */
export const RULE_ARGUMENT = { name: "<name-or-id>", description: "name or id of the rule" };

/**
 * Returns the rule with the id or name.
 * @throws CliError when there is none, or several
 */
export async function getRule(api: ApiClient, typed: string): Promise<RuleOfMonitor> {
  return pickNamed("alert rule", typed, await listRules(api));
}
