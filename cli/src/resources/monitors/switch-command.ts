/** Commands that pause and resume a monitor; they differ by one value. */
import { type Command, defineCommand } from "../../runtime/command.ts";
import { getMonitor } from "./get-monitor.ts";

const WORDS = {
  pause: { summary: "stop running a monitor", done: "Paused", already: "is paused already" },
  resume: { summary: "run a paused monitor again", done: "Resumed", already: "is running already" },
} as const;

/** Builds the command of a verb. Running it twice is harmless. */
export function switchCommand(verb: keyof typeof WORDS): Command {
  const { summary, done, already } = WORDS[verb];
  const enabled = verb === "resume";
  return defineCommand({
    summary,
    answers: async () => (await import("../../answers/monitors.ts")).monitorsSwitch,
    arguments: [{ name: "<name-or-id>", description: "name or id of the monitor" }],
    examples: [`monitors ${verb} "Home page"`],
    async run(context, _options, [typed]) {
      const api = context.api();
      const before = await getMonitor(api, typed as string);
      const isChanged = before.enabled !== enabled;
      if (isChanged) await api.updateCheck(before.id, { enabled });
      const { id, name } = before;
      return {
        data: { id, name, status: enabled ? "enabled" : "paused", changed: isChanged },
        print: (out) => out.line(isChanged ? `${done} ${out.text(name)}.` : `${out.text(name)} ${already}.`),
      };
    },
  });
}
