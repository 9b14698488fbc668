/** Shows one alert with the evidence it fired on and its history: `svc alerts get`. */
import { type AlertInstance, type AlertInstanceEvent, counted } from "@svc/contract";
import type { Output } from "../../output/output.ts";
import { printFields, printSection } from "../../output/print-fields.ts";
import { ago } from "../../output/times.ts";
import { lengthOf } from "../../resources/alerts/describe.ts";
import { getInstanceId, INSTANCE_ARGUMENT } from "../../resources/alerts/get-instance-id.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc alerts get`. Times are shown relative to the present. */
export const command = defineCommand({
  summary: "show an alert: what made it fire, and what happened since",
  answers: async () => (await import("../../answers/alerts.ts")).alertsGet,
  arguments: [INSTANCE_ARGUMENT],
  examples: ["alerts get ainst_...", "alerts get Checkout --json"],
  async run(context, _options, [typed]) {
    const api = context.api();
    const answer = await api.getAlertInstance(await getInstanceId(api, typed as string));
    return {
      data: { alert: answer.instance, events: answer.events },
      print: (out) => print(out, answer, context.system.nowMs()),
    };
  },
});

interface AlertWithHistory {
  instance: AlertInstance;
  events: readonly AlertInstanceEvent[];
}

function print(out: Output, { instance: alert, events }: AlertWithHistory, nowMs: number): void {
  printFields(out, [
    ["Monitor", alert.checkName ?? "-"],
    ["Rule", alert.ruleName ?? alert.ruleId],
    ["Id", alert.id],
    ["Severity", alert.severity],
    ["State", alert.state],
    ["Muted", mutedText(alert)],
    ...(alert.heldBack ? [["Notifications", alert.heldBack.text] as const] : []),
    ["Started", `${alert.startedAt} (${ago(alert.startedAt, nowMs)})`],
    ["Lasted", lengthOf(alert, nowMs)],
    ["Result", alert.triggeringResultId ?? "-"],
    ["Notified", counted(alert.notificationCount, "time")],
  ]);
  printSection(out, "Why");
  out.line(out.block(JSON.stringify(out.secrets.redactDeep(alert.contextJson), null, 2)));
  printSection(out, "History");
  for (const { createdAt, type, actorId, actorName } of events)
    out.line(`  ${createdAt}  ${type}${actorId === null ? "" : ` by ${out.text(actorName ?? actorId)}`}`);
}

function mutedText({ muted, mutedUntil }: AlertInstance): string {
  if (!muted) return "no";
  return mutedUntil === null ? "until it is unmuted" : `until ${mutedUntil}`;
}
