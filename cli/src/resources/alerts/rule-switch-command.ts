/** Commands that enable and disable an alert rule; they differ by one value. */
import { type Command, defineCommand } from "../../runtime/command.ts";
import { getRule, RULE_ARGUMENT } from "./get-rule.ts";

const WORDS = {
  enable: { summary: "let an alert rule fire again", done: "Enabled", already: "is enabled already" },
  disable: { summary: "keep an alert rule from firing", done: "Disabled", already: "is disabled already" },
} as const;

/** Builds the command of a verb. Running it twice is harmless. */
export function ruleSwitchCommand(verb: keyof typeof WORDS): Command {
  const { summary, done, already } = WORDS[verb];
  const enabled = verb === "enable";
  return defineCommand({
    summary,
    answers: async () => (await import("../../answers/alerts.ts")).rulesSwitch,
    arguments: [RULE_ARGUMENT],
    examples: [`alerts rules ${verb} "Checkout is down"`],
    async run(context, _options, [typed]) {
      const api = context.api();
      const { id, name, enabled: wasEnabled } = await getRule(api, typed as string);
      const isChanged = wasEnabled !== enabled;
      if (isChanged) await api.updateAlertRule(id, { enabled });
      const shown = name ?? id;
      return {
        data: { id, name, status: enabled ? "enabled" : "disabled", changed: isChanged },
        print: (out) =>
          out.line(isChanged ? `${done} ${out.text(shown)}.` : `${out.text(shown)} ${already}.`),
      };
    },
  });
}
