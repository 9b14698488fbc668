/** Flags and fields of the commands that write alert policies. */
import type { ApiClient, NewAlertPolicy } from "@svc/contract";
import type { Fragment } from "./read-fragment.ts";
import { RULE_FIELDS, RULE_OPTIONS, type RuleOptions, ruleBody } from "./rule-options.ts";

/** Values of these flags. */
export interface PolicyOptions extends RuleOptions {
  label?: string[];
}

/** Fields of an alert policy in svc.config.yaml. */
export const POLICY_FIELDS = [...RULE_FIELDS, "labels"] as const;

/** Flags for the fields of an alert policy, except its name. */
export const POLICY_OPTIONS = [
  {
    flags: "--label <label>",
    description: "a label that a monitor needs, e.g. team:shop; may be repeated, then it needs all",
    repeats: true,
  },
  ...RULE_OPTIONS,
] as const;

/** Returns the body of the request: the fragment's fields, replaced by those of flags. Absent ones are left out. */
export async function policyBody(
  api: ApiClient,
  fragment: Fragment,
  options: PolicyOptions,
): Promise<Partial<NewAlertPolicy>> {
  const rule = (await ruleBody(api, fragment, options)) as Partial<NewAlertPolicy>;
  return options.label === undefined ? rule : { ...rule, labels: options.label };
}
