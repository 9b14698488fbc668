/**
 * Asks the service what is going on with a monitor, and prints its finding: `svc monitors analyze`. A monitor has a
 * limited number of analyses; beyond it the command ends with the exit code of a limit.
 */
import { type Analysis, ApiError, type Severity } from "@svc/contract";
import type { Colors, Paint } from "../../output/colors.ts";
import type { Output } from "../../output/output.ts";
import { printFields } from "../../output/print-fields.ts";
import { relativeTime } from "../../output/times.ts";
import { getMonitor } from "../../resources/monitors/get-monitor.ts";
import { CliError } from "../../runtime/cli-error.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc monitors analyze`. An interruption does not end the analysis, which counts against the limit. */
export const command = defineCommand({
  summary: "find out what is going on with a monitor (a few calls per monitor)",
  answers: async () => (await import("../../answers/monitors.ts")).monitorsAnalyze,
  arguments: [{ name: "<name-or-id>", description: "name or id of the monitor" }],
  examples: ['monitors analyze "Home page"', "monitors analyze chk_... --json"],
  async run(context, _options, [typed]) {
    const { id, name } = await getMonitor(context.api(), typed as string);
    const analysis = await asLimit(context.api({ outlivesInterruption: true }).analyzeCheck(id));
    return {
      data: analysis,
      print: (out) => print(out, { monitor: name, analysis }, context.system.nowMs()),
    };
  },
});

/** Turns "too many requests" into the exit code of a limit. */
async function asLimit<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 429) throw error;
    const { retryAfterSeconds } = error;
    throw new CliError("plan_limit", error.message, {
      ...(retryAfterSeconds === undefined ? {} : { hint: `Try again in ${waitText(retryAfterSeconds)}` }),
      details: { httpStatus: 429, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) },
      cause: error,
    });
  }
}

function waitText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.ceil(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.ceil(seconds / 3600)} h` : `${Math.ceil(seconds / 86_400)} days`;
}

function print(
  out: Output,
  { monitor, analysis }: { monitor: string; analysis: Analysis },
  nowMs: number,
): void {
  const { insight, stale, deepAnalysisCount, deepAnalysisLimit } = analysis;
  const { type, severity, confidence, model, generatedAt } = insight;
  out.line(
    `${paintOf(out.colors, severity)(type.replaceAll("_", " "))}  ${out.text(monitor)}, ${severity}, ${Math.round(confidence * 100)} % sure`,
  );
  out.line();
  printSummary(out, insight);
  out.line();
  printFields(out, [
    ["Worded by", model],
    ["Generated", relativeTime(Date.parse(generatedAt), nowMs)],
    ["Usage", `${deepAnalysisCount} of ${deepAnalysisLimit} analyses of this monitor`],
  ]);
  if (stale) out.warn("newer results have come in that this does not know");
}

/** Prints the summary and its evidence; of a model's claims each with the numbers of the facts that bear it out. */
function printSummary(out: Output, { summary, claims, evidence }: Analysis["insight"]): void {
  if (!claims) {
    out.line(out.text(summary));
    for (const line of evidence) out.line(`  - ${out.text(line)}`);
    return;
  }
  for (const { text, facts } of claims)
    out.line(`${out.text(text)} ${facts.map((index) => `[${index + 1}]`).join("")}`);
  for (const [index, line] of evidence.entries()) out.line(`  [${index + 1}] ${out.text(line)}`);
}

function paintOf(colors: Colors, severity: Severity): Paint {
  return { critical: colors.red, warning: colors.yellow, info: colors.green }[severity];
}
