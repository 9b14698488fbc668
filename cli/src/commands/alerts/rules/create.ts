/** Creates an alert rule of a monitor: `svc alerts rules create`. */
import { counted, type NewAlertRule } from "@svc/contract";
import { readFragment } from "../../../fragments/read-fragment.ts";
import { RULE_FIELDS, RULE_OPTIONS, type RuleOptions, ruleBody } from "../../../fragments/rule-options.ts";
import { getRule } from "../../../resources/alerts/get-rule.ts";
import { getMonitor } from "../../../resources/monitors/get-monitor.ts";
import { generalError } from "../../../runtime/cli-error.ts";
import { defineCommand } from "../../../runtime/command.ts";

interface Options extends RuleOptions {
  monitor?: string;
}

/** Defines `svc alerts rules create`. Flags win over the fields of `--file`. */
export const command = defineCommand<Options>({
  summary: "create an alert rule of a monitor",
  answers: async () => (await import("../../../answers/alerts.ts")).rulesCreate,
  options: [
    { flags: "--monitor <name-or-id>", description: "the monitor that it judges (required)" },
    { flags: "--name <name>", description: "name" },
    ...RULE_OPTIONS,
  ],
  examples: [
    'alerts rules create --monitor "Home page" --name Down --condition "consecutive_failures count=3" --channel "On call"',
    "alerts rules create --monitor Checkout --file rule.yaml",
  ],
  async run(context, options) {
    if (options.monitor === undefined)
      throw generalError("missing: --monitor", "Run: svc alerts rules create --help");
    const api = context.api();
    const body = await ruleBody(api, readFragment(context, options.file, RULE_FIELDS), options);
    const missing = [
      ...(body.conditions === undefined ? ["--condition"] : []),
      ...(body.channelIds === undefined ? ["--channel"] : []),
    ];
    if (missing.length > 0)
      throw generalError(`missing: ${missing.join(", ")} (or --file)`, "Run: svc alerts rules create --help");
    const { id, name } = await getMonitor(api, options.monitor);
    const created = await api.createAlertRule(id, body as NewAlertRule);
    const rule = await getRule(api, created.id);
    const channels = counted(rule.channelIds.length, "channel");
    return {
      data: { rule },
      print: (out) =>
        out.line(
          `Created ${out.text(rule.name ?? "a rule")} (${rule.id}) of ${out.text(name)}; it notifies ${channels}.`,
        ),
    };
  },
});
