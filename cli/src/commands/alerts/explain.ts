/** Tells how near an alert rule is to firing: `svc alerts explain`. */
import type { AlertExplanation } from "@svc/contract";
import { pickNamed } from "../../lookup/pick-named.ts";
import type { Output } from "../../output/output.ts";
import { conditionText } from "../../resources/alerts/describe.ts";
import { listRules } from "../../resources/alerts/list-rules.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc alerts explain`. */
export const command = defineCommand({
  summary: "tell which conditions of an alert rule hold now, and what the others lack",
  answers: async () => (await import("../../answers/alerts.ts")).alertsExplain,
  arguments: [{ name: "<name-or-id>", description: "name or id of the rule" }],
  examples: ['alerts explain "Checkout is down"', "alerts explain alert_... --json"],
  async run(context, _options, [typed]) {
    const api = context.api();
    const { id, name, checkName, enabled } = pickNamed("alert rule", typed as string, await listRules(api));
    const explanation = await api.explainAlertRule(id);
    return {
      data: { rule: { id, name, checkName }, ...explanation },
      print: (out) => print(out, explanation, enabled),
    };
  },
});

function print(out: Output, { holds, conditions }: AlertExplanation, isEnabled: boolean): void {
  for (const { condition, holds: isHeld, summary, missing } of conditions) {
    out.line(`${isHeld ? "holds    " : "does not "} ${out.text(conditionText(condition))}`);
    out.line(
      isHeld ? `          ${out.text(summary ?? "")}` : `          missing: ${out.text(missing ?? "")}`,
    );
  }
  if (!isEnabled) out.line("The rule is disabled, so it does not fire.");
  else out.line(holds ? "All conditions hold." : "It fires when all of them hold at once.");
}
