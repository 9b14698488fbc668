/** Shows the steps that follow when nobody acknowledges an incident: `svc incidents policy get`. */
import { readPolicyNames } from "../../../fragments/policy-names.ts";
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
    const names =
      incidentPolicy.steps.length === 0 ? { channels: [], rotas: [] } : await readPolicyNames(api);
    return { data: { incidentPolicy }, print: policyPrinter(incidentPolicy, names) };
  },
});
