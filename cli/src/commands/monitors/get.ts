import type { Check, Result } from "@svc/contract";
import type { Output } from "../../output/output.ts";
import { printFields } from "../../output/print-fields.ts";
import { fieldsOfMonitor, maskedCheck, resultColumns } from "../../resources/monitors/describe.ts";
import { getMonitor } from "../../resources/monitors/get-monitor.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Most results shown to a person; --json has all that the service answers. */
const RESULTS_SHOWN = 10;

/** Defines `svc monitors get`. Without an answer about labels, the monitor is shown without them. */
export const command = defineCommand({
  summary: "show a monitor and its newest results",
  answers: "`monitor` (with `labels`), `results`",
  arguments: [{ name: "<name-or-id>", description: "name or id of the monitor" }],
  examples: ['monitors get "Home page"', "monitors get chk_... --json"],
  async run(context, _options, [typed]) {
    const api = context.api();
    const { id } = await getMonitor(api, typed as string);
    const [{ check: asStored, results }, labels] = await Promise.all([
      api.getCheck(id),
      api.listLabels().catch(() => undefined),
    ]);
    const check = maskedCheck(asStored);
    const own = labels && (labels[id] ?? []);
    return {
      data: { monitor: { ...check, ...(own && { labels: own }) }, results },
      print: (out) => print(out, { check, labels: own, results }, context.system.nowMs()),
    };
  },
});

interface MonitorWithResults {
  check: Check;
  /** Undefined when they could not be read. */
  labels: readonly string[] | undefined;
  results: readonly Result[];
}

function print(out: Output, { check, labels, results }: MonitorWithResults, nowMs: number): void {
  printFields(out, fieldsOfMonitor(check, labels, nowMs));
  out.line();
  if (results.length === 0) out.line("No results yet.");
  else out.table(resultColumns(out.colors, nowMs), results.slice(0, RESULTS_SHOWN));
}
