/** Runs the HTTP monitors of the config from this machine: `svc test`. */
import { checkTypes, listed, vaultNamesIn } from "@svc/contract";
import type { DesiredMonitor } from "../config/desired.ts";
import { readConfig } from "../config/read-config.ts";
import { printTested, type TestedMonitor, testMonitor } from "../local-test/local-test.ts";
import { type CommandOutcome, defineCommand } from "../runtime/command.ts";
import { inTurns } from "../runtime/in-turns.ts";

interface Options {
  allowPrivateNetwork?: boolean;
}

/** Defines `svc test`. Exit code 1 when a monitor fails. */
export const command = defineCommand<Options>({
  summary: "run the HTTP monitors of the config from this machine; exits 1 when one fails",
  options: [
    {
      flags: "--allow-private-network",
      description: "also send requests to private, loopback and link-local addresses",
    },
  ],
  examples: ["test", "test --allow-private-network --json"],
  async run(context, { allowPrivateNetwork = false }): Promise<CommandOutcome> {
    const { monitors } = readConfig(context);
    const { out, signal } = context;
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
    const summary = { passed: results.length - failed, failed, notRun: notRun.length };
    return {
      data: { results, notRun, summary },
      print(out) {
        for (const result of results) printTested(out, result);
        for (const { name, type, reason } of notRun)
          out.line(`-     ${out.text(name)}  not run here: ${reason ?? type}`);
        out.line(`${summary.passed} passed, ${summary.failed} failed, ${summary.notRun} not run`);
      },
      ...(failed > 0 ? { exit: "general_error" as const } : {}),
    };
  },
});

function isLocal({ type, config }: DesiredMonitor): boolean {
  return checkTypes.find(type)?.canRunLocally === true && vaultNamesIn(config).length === 0;
}

/** Describes a monitor that is not run; `reason` only when its type could be. */
function notRunHere({ name, type, config }: DesiredMonitor): { name: string; type: string; reason?: string } {
  const names = vaultNamesIn(config).map((secret) => `{{vault.${secret}}}`);
  if (names.length === 0 || !checkTypes.find(type)?.canRunLocally) return { name, type };
  return { name, type, reason: `the value of ${listed(names)} is kept in the service` };
}
