/** Runs the monitors of the config from this machine, those that need neither browser nor service: `svc test`. */
import { resolve } from "node:path";
import type { DesiredMonitor } from "@svc/as-code/config";
import { checkTypes, listed, pushedTraitsOf, vaultNamesIn } from "@svc/contract";
import { readConfig } from "../config/read-config.ts";
import { writeFileWhole } from "../config/write-config.ts";
import { failureText, junitReport, type NotRun } from "../local-test/junit.ts";
import { printTested, type TestedMonitor, testMonitor } from "../local-test/local-test.ts";
import type { Output } from "../output/output.ts";
import { generalError } from "../runtime/cli-error.ts";
import { type CommandOutcome, defineCommand } from "../runtime/command.ts";
import { inTurns } from "../runtime/in-turns.ts";

interface Options {
  allowPrivateNetwork?: boolean;
  reporter: "text" | "junit";
  output?: string;
}

/** Defines `svc test`. Exit code 1 when a monitor fails. */
export const command = defineCommand<Options>({
  summary: "run the monitors of the config that need no browser from this machine; exits 1 when one fails",
  answers: async () => (await import("../answers/config.ts")).test,
  options: [
    {
      flags: "--allow-private-network",
      description: "also connect to private, loopback and link-local addresses",
    },
    {
      flags: "--reporter <name>",
      description: "how the outcome is written: for a terminal, or as JUnit's XML for a CI system",
      choices: ["text", "junit"],
      default: "text",
    },
    {
      flags: "-o, --output <path>",
      description: "file that JUnit's XML is written to; the outcome is then printed for a terminal, too",
    },
  ],
  examples: ["test", "test --reporter junit --output svc-test.xml", "test --allow-private-network --json"],
  async run(context, { allowPrivateNetwork = false, reporter, output }): Promise<CommandOutcome> {
    const { out, signal, system } = context;
    if (output !== undefined && reporter !== "junit")
      throw generalError("--output names the file of --reporter junit, which is not given");
    if (out.isJson && reporter === "junit" && output === undefined)
      throw generalError("--reporter junit and --json both write to stdout; give --output a file");
    const { monitors, project } = readConfig(context);
    const local = monitors.filter(isLocal);
    const notRun = monitors.filter((one) => !isLocal(one)).map(notRunHere);
    const tested = new Map<string, TestedMonitor>();
    await inTurns(local, async (monitor) => {
      signal.throwIfAborted();
      out.progress(`testing ${monitor.name}`);
      const options = {
        secrets: out.secrets,
        signal,
        allowPrivate: allowPrivateNetwork,
        nowMs: () => context.system.nowMs(),
      };
      tested.set(monitor.name, await testMonitor(monitor, options));
    });
    signal.throwIfAborted();
    const results = local.flatMap(({ name }) => tested.get(name) ?? []);
    const failed = results.filter(({ passed }) => !passed).length;
    const writeReport = () => junitReport(out, { project, results, notRun });
    if (output !== undefined) writeFileWhole(resolve(system.cwd, output), writeReport());
    const summary = { passed: results.length - failed, failed, notRun: notRun.length };
    return {
      data: { results, notRun, summary },
      print(out) {
        if (reporter === "junit" && output === undefined) {
          out.raw(writeReport().trimEnd());
          return;
        }
        for (const result of results) printTested(out, result);
        for (const { name, type, reason } of notRun)
          out.line(`-     ${out.text(name)}  not run here: ${reason ?? type}`);
        out.line(`${summary.passed} passed, ${summary.failed} failed, ${summary.notRun} not run`);
        if (system.env.GITHUB_ACTIONS === "true") annotateFailures(out, monitors, results);
      },
      ...(failed > 0 ? { exit: "general_error" as const } : {}),
    };
  },
});

/** Has GitHub Actions show each failure beside the monitor in the config. */
function annotateFailures(
  out: Output,
  monitors: readonly DesiredMonitor[],
  results: readonly TestedMonitor[],
): void {
  const positions = new Map(monitors.map(({ name, position }) => [name, position]));
  for (const result of results) {
    if (result.passed) continue;
    const position = positions.get(result.name);
    out.annotate({
      ...(position && {
        file: position.file.shownPath,
        line: position.file.lines.linePos(position.offset).line,
      }),
      title: `monitor ${result.name} fails`,
      message: failureText(result),
    });
  }
}

function isLocal({ type, config }: DesiredMonitor): boolean {
  return checkTypes.find(type)?.canRunLocally === true && vaultNamesIn(config).length === 0;
}

/** Describes a monitor that is not run; `reason` only when its type could be. */
function notRunHere({ name, type, config }: DesiredMonitor): NotRun {
  if (pushedTraitsOf(type)) return { name, type, reason: "it reports by itself, so there is nothing to try" };
  const names = vaultNamesIn(config).map((secret) => `{{vault.${secret}}}`);
  if (names.length === 0 || !checkTypes.find(type)?.canRunLocally) return { name, type };
  return { name, type, reason: `the value of ${listed(names)} is kept in the service` };
}
