/** Changes an alert rule, after a question: `svc alerts rules edit`. */
import type { UpdateAlertRule } from "@svc/contract";
import { readFragment } from "../../../fragments/read-fragment.ts";
import { RULE_FIELDS, RULE_OPTIONS, type RuleOptions, ruleBody } from "../../../fragments/rule-options.ts";
import { getRule, RULE_ARGUMENT } from "../../../resources/alerts/get-rule.ts";
import { defineCommand } from "../../../runtime/command.ts";
import { editedOutcome } from "../../../runtime/edited-outcome.ts";

/** Defines `svc alerts rules edit`. Sends the given fields only; a list replaces the former one. */
export const command = defineCommand<RuleOptions & { yes?: boolean }>({
  summary: "change an alert rule; lists that are given replace the former ones",
  answers: async () => (await import("../../../answers/alerts.ts")).rulesEdit,
  arguments: [RULE_ARGUMENT],
  options: [
    { flags: "--name <name>", description: "new name" },
    ...RULE_OPTIONS,
    { flags: "--yes", description: "don't ask" },
  ],
  examples: [
    'alerts rules edit Down --condition "consecutive_failures count=5" --yes',
    "alerts rules edit alert_... --file rule.yaml",
  ],
  async run(context, options, [typed]) {
    const api = context.api();
    const before = await getRule(api, typed as string);
    const change = await ruleBody(api, readFragment(context, options.file, RULE_FIELDS), options);
    return await editedOutcome(context, {
      kind: "alert rule",
      key: "rule",
      before,
      change,
      hasAgreed: options.yes,
      send: async () => {
        await api.updateAlertRule(before.id, change as UpdateAlertRule);
        return await getRule(api, before.id);
      },
    });
  },
});
