import type { AlertRule, Check, Result } from "@svc/contract";
import type { Output } from "../../output/output.ts";
import { printFields } from "../../output/print-fields.ts";
import { conditionsText } from "../../resources/alerts/describe.ts";
import { fieldsOfMonitor, maskedCheck, resultColumns } from "../../resources/monitors/describe.ts";
import { getMonitor } from "../../resources/monitors/get-monitor.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Most results shown to a person; --json has all that the service answers. */
const RESULTS_SHOWN = 10;

/** Defines `svc monitors get`. Without an answer about labels or alert rules, the monitor is shown without them. */
export const command = defineCommand({
  summary: "show a monitor with its settings and alert rules, and its newest results",
  answers: async () => (await import("../../answers/monitors.ts")).monitorsGet,
  arguments: [{ name: "<name-or-id>", description: "name or id of the monitor" }],
  examples: ['monitors get "Home page"', "monitors get chk_... --json"],
  async run(context, _options, [typed]) {
    const api = context.api();
    const { id, dependsOn = [] } = await getMonitor(api, typed as string);
    const [{ check: asStored, results }, labels, allRules, summaries] = await Promise.all([
      api.getCheck(id),
      api.listLabels().catch(() => undefined),
      api.listAlertRules().catch(() => undefined),
      dependsOn.length === 0 ? [] : api.listCheckSummaries().catch(() => []),
    ]);
    const dependencies = dependsOn.map((one) => summaries.find(({ id }) => id === one)?.name ?? one);
    // Whoever sets up the job looks here for the URL that it reports to.
    const check = { ...maskedCheck(asStored), ...(asStored.pushUrl && { pushUrl: asStored.pushUrl }) };
    const own = labels && (labels[id] ?? []);
    const rules = allRules?.filter(({ checkId }) => checkId === id);
    return {
      data: {
        monitor: { ...check, ...(own && { labels: own }) },
        ...(rules && { alertRules: rules }),
        results,
      },
      print: (out) =>
        print(out, { check, labels: own, rules, dependencies, results }, context.system.nowMs()),
    };
  },
});

interface MonitorWithResults {
  check: Check;
  /** Undefined when they could not be read. */
  labels: readonly string[] | undefined;
  /** Undefined when they could not be read. */
  rules: readonly Omit<AlertRule, "channels">[] | undefined;
  /** Names of the monitors that it depends on. */
  dependencies: readonly string[];
  results: readonly Result[];
}

function ruleText({ name, conditions, enabled }: Omit<AlertRule, "channels">): string {
  const text = conditionsText({ conditions });
  return `${name === null ? text : `${name} (${text})`}${enabled ? "" : ", disabled"}`;
}

function print(
  out: Output,
  { check, labels, rules, dependencies, results }: MonitorWithResults,
  nowMs: number,
): void {
  printFields(out, fieldsOfMonitor(check, { labels, dependencies, rules: rules?.map(ruleText) }, nowMs));
  out.line();
  if (results.length === 0) out.line("No results yet.");
  else out.table(resultColumns(out.colors, nowMs), results.slice(0, RESULTS_SHOWN));
}
