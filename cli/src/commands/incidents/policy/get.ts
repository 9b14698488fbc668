/** Shows the steps that follow when nobody acknowledges an incident: `svc incidents policy get`. */
import { listMaskedChannels } from "../../../resources/channels/get-channel.ts";
import { policyPrinter } from "../../../resources/incidents/policy.ts";
import { defineCommand } from "../../../runtime/command.ts";

/** Defines `svc incidents policy get`. */
export const command = defineCommand({
  summary: "show the steps that follow when nobody acknowledges an incident",
  answers: async () => (await import("../../../answers/incidents.ts")).incidentsPolicy,
  examples: ["incidents policy get", "incidents policy get --json"],
  async run(context) {
    const api = context.api();
    const incidentPolicy = await api.getIncidentPolicy();
    const channels = incidentPolicy.steps.length === 0 ? [] : await listMaskedChannels(api);
    return { data: { incidentPolicy }, print: policyPrinter(incidentPolicy, channels) };
  },
});
