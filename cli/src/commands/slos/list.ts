/** Lists the SLOs: `svc slos list`. */
import { goodText, listPatternNames, percentOf, subjectOf } from "../../resources/slos/describe.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc slos list`, which answers all SLOs at once. */
export const command = defineCommand({
  summary: "list the SLOs",
  answers: async () => (await import("../../answers/slos.ts")).slosList,
  examples: ["slos list", "slos list --json"],
  async run(context) {
    const api = context.api();
    const slos = await api.listSlos();
    const patternNames = await listPatternNames(api, slos);
    return {
      data: { slos },
      print: (out) => {
        if (slos.length === 0) out.info("No SLOs.");
        else
          out.table(
            [
              { title: "NAME", value: ({ name }) => name },
              { title: "OF", value: (slo) => subjectOf(slo, patternNames) },
              { title: "GOOD", value: goodText },
              { title: "TARGET", value: (slo) => percentOf(slo.targetBasisPoints), align: "right" },
              { title: "WINDOW", value: ({ windowDays }) => `${windowDays}d`, align: "right" },
              { title: "STATE", value: ({ enabled }) => (enabled ? "enabled" : "disabled") },
              { title: "ID", value: ({ id }) => id },
            ],
            slos,
          );
      },
    };
  },
});
