/** Deletes an alert rule, after a question: `svc alerts rules delete`. */
import { getRule, RULE_ARGUMENT } from "../../../resources/alerts/get-rule.ts";
import { deleteCommand } from "../../../runtime/delete-command.ts";

/** Defines `svc alerts rules delete`. The rule's open alerts end with it. */
export const command = deleteCommand({
  path: "alerts rules delete",
  summary: "delete an alert rule; its open alerts end",
  kind: "alert rule",
  argument: RULE_ARGUMENT,
  find: getRule,
  send: (api, id) => api.deleteAlertRule(id),
});
