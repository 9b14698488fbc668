/** Deletes an alert policy with the rules that follow it, after a question: `svc alerts policies delete`. */
import { getPolicy, POLICY_ARGUMENT } from "../../../resources/policies/get-policy.ts";
import { deleteCommand } from "../../../runtime/delete-command.ts";

/** Defines `svc alerts policies delete`, which asks unless `--yes` is given. */
export const command = deleteCommand({
  path: "alerts policies delete",
  summary: "delete an alert policy and its rules",
  kind: "alert policy",
  along: " and its rules",
  argument: POLICY_ARGUMENT,
  find: getPolicy,
  send: (api, id) => api.deleteAlertPolicy(id),
});
