/** Shows one result in full, with timing, assertions and evidence: `svc results get`. */
import { getMonitor } from "../../resources/monitors/get-monitor.ts";
import { printResult } from "../../resources/monitors/print-result.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc results get`, which takes the result's id only. */
export const command = defineCommand({
  summary: "show a result in full: timing, assertions, evidence",
  answers: async () => (await import("../../answers/monitors.ts")).resultsGet,
  arguments: [
    { name: "<monitor>", description: "name or id of the monitor" },
    { name: "<result-id>", description: "id of the result" },
  ],
  examples: ['results get "Home page" res_...', "results get chk_... res_... --json"],
  async run(context, _options, [monitor, resultId]) {
    const api = context.api();
    const { id } = await getMonitor(api, monitor as string);
    const result = await api.getResult(id, resultId as string);
    return { data: { result }, print: (out) => printResult(out, result) };
  },
});
