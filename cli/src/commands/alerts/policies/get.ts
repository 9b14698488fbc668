/** Shows an alert policy with the monitors for which it holds: `svc alerts policies get`. */
import { type AlertPolicy, type AlertPolicyPreview, counted } from "@svc/contract";
import type { Output } from "../../../output/output.ts";
import { printFields, printSection } from "../../../output/print-fields.ts";
import { ago } from "../../../output/times.ts";
import { conditionText } from "../../../resources/alerts/describe.ts";
import { getPolicy, POLICY_ARGUMENT } from "../../../resources/policies/get-policy.ts";
import { defineCommand } from "../../../runtime/command.ts";

/** Defines `svc alerts policies get`. The monitors are those that have the labels now. */
export const command = defineCommand({
  summary: "show an alert policy: when it fires, for which monitors, and whom it tells",
  answers: async () => (await import("../../../answers/alerts.ts")).policiesGet,
  arguments: [POLICY_ARGUMENT],
  examples: ['alerts policies get "Shop is down"', "alerts policies get apol_... --json"],
  async run(context, _options, [typed]) {
    const api = context.api();
    const [found, channels] = await Promise.all([getPolicy(api, typed as string), api.listChannels()]);
    const { labels, conditions } = found;
    const { checks } = await api.previewAlertPolicy({ labels, conditions });
    const named = found.channelIds.map((id) => ({
      id,
      name: channels.find((channel) => channel.id === id)?.name ?? null,
    }));
    const policy = { ...found, channels: named };
    return {
      data: { policy, monitors: checks },
      print: (out) => print(out, { policy, monitors: checks, nowMs: context.system.nowMs() }),
    };
  },
});

interface Shown {
  policy: AlertPolicy & { channels: readonly { id: string; name: string | null }[] };
  monitors: AlertPolicyPreview["checks"];
  nowMs: number;
}

function print(out: Output, { policy, monitors, nowMs }: Shown): void {
  printFields(out, [
    ["Name", policy.name],
    ["Id", policy.id],
    ["Labels", policy.labels.join(", ")],
    ["State", policy.enabled ? "enabled" : "disabled"],
    ["Confirmed first", policy.confirm ? "yes" : "no"],
    ["Recovers after", `${counted(policy.recovery.consecutiveSuccesses, "success", "successes")} in a row`],
    ["Channels", policy.channels.map(({ id, name }) => name ?? id).join(", ")],
    ["Updated", ago(policy.updatedAt ?? policy.createdAt, nowMs)],
  ]);
  printSection(out, "Fires when all of these hold");
  for (const condition of policy.conditions) out.line(`  ${out.text(conditionText(condition))}`);
  printSection(out, `Holds for ${counted(policy.checkCount, "monitor")}`);
  for (const { name, refusal } of monitors)
    out.line(`  ${out.text(name)}${refusal === null ? "" : ` (has no rule: ${out.text(refusal)})`}`);
}
