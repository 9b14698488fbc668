/**
 * Shows an incident with its probable cause, its alerts and its history: `svc incidents get`. Incidents are changed in the
 * dashboard.
 */
import type { AlertInstanceSummary, Incident, IncidentEvent } from "@svc/contract";
import type { Output } from "../../output/output.ts";
import { printFields, printSection } from "../../output/print-fields.ts";
import { ago } from "../../output/times.ts";
import { instanceColumns } from "../../resources/alerts/describe.ts";
import { defineCommand } from "../../runtime/command.ts";

interface Details {
  incident: Incident;
  events: IncidentEvent[];
  alerts: AlertInstanceSummary[];
}

/** Defines `svc incidents get`, which takes an id only: incidents have no names. */
export const command = defineCommand({
  summary: "show an incident: its probable cause, its alerts and what happened to it",
  answers: async () => (await import("../../answers/incidents.ts")).incidentsGet,
  arguments: [{ name: "<incident-id>", description: "id of the incident" }],
  examples: ["incidents get inc_...", "incidents get inc_... --json"],
  async run(context, _options, [id]) {
    const details = await context.api().getIncident(id as string);
    return { data: details, print: (out) => print(out, details, context.system.nowMs()) };
  },
});

function print(out: Output, { incident, events, alerts }: Details, nowMs: number): void {
  const { hypothesis } = incident;
  printFields(out, [
    ["Title", incident.title],
    ["Id", incident.id],
    ["Severity", incident.severity],
    ["State", incident.state],
    ["Opened", `${incident.openedAt} (${ago(incident.openedAt, nowMs)})`],
    ["Acknowledged", ago(incident.acknowledgedAt, nowMs)],
    ["Resolved", ago(incident.resolvedAt, nowMs)],
    ["Alerts", `${incident.openMemberCount} open of ${incident.memberCount}`],
    ["More", incident.triageUrl],
  ]);
  printSection(out, "Probable cause");
  out.line(`  ${out.text(hypothesis.summary)} (confidence ${Math.round(hypothesis.confidence * 100)} %)`);
  for (const fact of hypothesis.ruledIn) out.line(`  + ${out.text(fact)}`);
  for (const fact of hypothesis.ruledOut) out.line(`  - ${out.text(fact)}`);
  printSection(out, "Alerts");
  out.table(instanceColumns(out.colors, nowMs), alerts);
  printSection(out, "History");
  for (const { occurredAt, eventType, actor } of events)
    out.line(
      `  ${occurredAt}  ${eventType}${actor.id === null ? "" : ` by ${out.text(actor.name ?? actor.id)}`}`,
    );
}
