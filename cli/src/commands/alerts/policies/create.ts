/** Creates an alert policy: `svc alerts policies create`. */
import { counted, type NewAlertPolicy } from "@svc/contract";
import {
  POLICY_FIELDS,
  POLICY_OPTIONS,
  type PolicyOptions,
  policyBody,
} from "../../../fragments/policy-options.ts";
import { readFragment } from "../../../fragments/read-fragment.ts";
import { generalError } from "../../../runtime/cli-error.ts";
import { defineCommand } from "../../../runtime/command.ts";

/** Defines `svc alerts policies create`. Flags win over the fields of `--file`. */
export const command = defineCommand<PolicyOptions>({
  summary: "create an alert policy: one rule for all monitors that have certain labels, now and later",
  answers: async () => (await import("../../../answers/alerts.ts")).policiesCreate,
  options: [{ flags: "--name <name>", description: "name" }, ...POLICY_OPTIONS],
  examples: [
    'alerts policies create --name "Shop is down" --label team:shop --condition "consecutive_failures count=3" --channel "On call"',
    "alerts policies create --file policy.yaml",
  ],
  async run(context, options) {
    const api = context.api();
    const body = await policyBody(api, readFragment(context, options.file, POLICY_FIELDS), options);
    const missing = [
      ...(body.name === undefined ? ["--name"] : []),
      ...(body.labels === undefined ? ["--label"] : []),
      ...(body.conditions === undefined ? ["--condition"] : []),
      ...(body.channelIds === undefined ? ["--channel"] : []),
    ];
    if (missing.length > 0)
      throw generalError(
        `missing: ${missing.join(", ")} (or --file)`,
        "Run: svc alerts policies create --help",
      );
    const policy = await api.createAlertPolicy(body as NewAlertPolicy);
    return {
      data: { policy },
      print: (out) =>
        out.line(
          `Created ${out.text(policy.name)} (${policy.id}); it holds for ${counted(policy.checkCount, "monitor")} now.`,
        ),
    };
  },
});
