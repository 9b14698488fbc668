/** Changes an alert policy, after a question: `svc alerts policies edit`. */
import type { UpdateAlertPolicy } from "@svc/contract";
import {
  POLICY_FIELDS,
  POLICY_OPTIONS,
  type PolicyOptions,
  policyBody,
} from "../../../fragments/policy-options.ts";
import { readFragment } from "../../../fragments/read-fragment.ts";
import { getPolicy, POLICY_ARGUMENT } from "../../../resources/policies/get-policy.ts";
import { defineCommand } from "../../../runtime/command.ts";
import { editedOutcome } from "../../../runtime/edited-outcome.ts";

/** Defines `svc alerts policies edit`. Sends the given fields only; a list replaces the former one. */
export const command = defineCommand<PolicyOptions & { yes?: boolean }>({
  summary: "change an alert policy; a list of labels, conditions or channels replaces the former one",
  answers: async () => (await import("../../../answers/alerts.ts")).policiesEdit,
  arguments: [POLICY_ARGUMENT],
  options: [
    { flags: "--name <name>", description: "new name" },
    ...POLICY_OPTIONS,
    { flags: "--yes", description: "don't ask" },
  ],
  examples: ['alerts policies edit "Shop is down" --label team:shop --label prod --yes'],
  async run(context, options, [typed]) {
    const api = context.api();
    const before = await getPolicy(api, typed as string);
    const change = await policyBody(api, readFragment(context, options.file, POLICY_FIELDS), options);
    return await editedOutcome(context, {
      kind: "alert policy",
      key: "policy",
      before,
      change,
      hasAgreed: options.yes,
      send: () => api.updateAlertPolicy(before.id, change as UpdateAlertPolicy),
    });
  },
});
