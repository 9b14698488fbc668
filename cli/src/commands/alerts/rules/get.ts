/** Shows an alert rule with its conditions and the channels that it notifies: `svc alerts rules get`. */
import { type BaselineProgress, conditionTypes, counted } from "@svc/contract";
import { pickNamed } from "../../../lookup/pick-named.ts";
import type { Output } from "../../../output/output.ts";
import { printFields, printSection } from "../../../output/print-fields.ts";
import { ago } from "../../../output/times.ts";
import { conditionText } from "../../../resources/alerts/describe.ts";
import { listRules, type RuleOfMonitor } from "../../../resources/alerts/list-rules.ts";
import { defineCommand } from "../../../runtime/command.ts";

/** Defines `svc alerts rules get`. A channel that was deleted meanwhile is shown by its id. */
export const command = defineCommand({
  summary: "show an alert rule: when it fires and whom it tells",
  answers: async () => (await import("../../../answers/alerts.ts")).rulesGet,
  arguments: [{ name: "<name-or-id>", description: "name or id of the rule" }],
  examples: ['alerts rules get "Checkout is down"', "alerts rules get alert_... --json"],
  async run(context, _options, [typed]) {
    const api = context.api();
    const [rules, channels] = await Promise.all([listRules(api), api.listChannels()]);
    const found = pickNamed("alert rule", typed as string, rules);
    const named = found.channelIds.map((id) => ({
      id,
      name: channels.find((channel) => channel.id === id)?.name ?? null,
    }));
    const listed = found.conditions.some(({ type }) => conditionTypes.get(type).usesBaselines)
      ? await api.listAlertRulesOfCheck(found.checkId)
      : [];
    const baselines = listed.find(({ id }) => id === found.id)?.baselines;
    const rule = { ...found, channels: named, ...(baselines && { baselines }) };
    return { data: { rule }, print: (out) => print(out, rule, context.system.nowMs()) };
  },
});

/** An alert rule with the channels that it notifies; the name of a deleted channel is null. */
type RuleWithChannels = RuleOfMonitor & {
  baselines?: readonly BaselineProgress[];
  channels: readonly { id: string; name: string | null }[];
};

function print(out: Output, rule: RuleWithChannels, nowMs: number): void {
  printFields(out, [
    ["Name", rule.name ?? "-"],
    ["Id", rule.id],
    ["Monitor", rule.checkName ?? rule.checkId],
    ["State", rule.enabled ? "enabled" : "disabled"],
    ["Confirmed first", rule.confirm ? "yes" : "no"],
    ["Recovers after", `${counted(rule.recovery.consecutiveSuccesses, "success", "successes")} in a row`],
    ["Channels", rule.channels.map(({ id, name }) => name ?? id).join(", ")],
    ["Updated", ago(rule.updatedAt ?? rule.createdAt, nowMs)],
  ]);
  printSection(out, "Fires when all of these hold");
  for (const condition of rule.conditions) out.line(`  ${out.text(conditionText(condition))}`);
  if (!rule.baselines) return;
  printSection(out, "Baselines");
  for (const { metric, hoursKnown, hoursTotal, judgesFrom } of rule.baselines) {
    const from = judgesFrom === null ? "" : `; judges from ${judgesFrom}`;
    out.line(`  ${metric}: ${hoursKnown} of ${hoursTotal} hours known${from}`);
  }
}
