/** Sets the steps that follow when nobody acknowledges an incident: `svc incidents policy set`. */
import { readPolicyNames } from "../../../fragments/policy-names.ts";
import { policyPrinter, stepsOf } from "../../../resources/incidents/policy.ts";
import { generalError } from "../../../runtime/cli-error.ts";
import { defineCommand } from "../../../runtime/command.ts";

interface Options {
  step?: string[];
  none?: boolean;
}

/** Defines `svc incidents policy set`, which replaces all steps. */
export const command = defineCommand<Options>({
  summary: "set the steps that follow when nobody acknowledges an incident",
  answers: async () => (await import("../../../answers/incidents.ts")).incidentsPolicy,
  options: [
    {
      flags: "--step <minutes=channel>",
      description:
        "notify the channel (name or id), or whoever is on duty of a rota (rota:<name or id>), after so many minutes; may be repeated",
      repeats: true,
    },
    { flags: "--none", description: "remove the policy" },
  ],
  examples: [
    'incidents policy set --step "10=Team chat" --step "30=rota:On call"',
    "incidents policy set --none",
  ],
  async run(context, { step, none }) {
    if ((step === undefined) === !none) throw generalError("give --step, once or several times, or --none");
    const api = context.api({ outlivesInterruption: true });
    const names = step ? await readPolicyNames(api) : { channels: [], rotas: [] };
    const steps = step ? stepsOf(step, names) : [];
    const incidentPolicy = await api.setIncidentPolicy({ steps });
    return { data: { incidentPolicy }, print: policyPrinter(incidentPolicy, names) };
  },
});
