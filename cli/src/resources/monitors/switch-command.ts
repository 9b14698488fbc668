/** Pausing and resuming: the same command with two values. */
import { type Command, defineCommand } from "../../runtime/command.ts";
import { findMonitor } from "./find-monitor.ts";

const WORDS = {
  pause: { summary: "stop running a monitor", done: "Paused", already: "is paused already" },
  resume: { summary: "run a paused monitor again", done: "Resumed", already: "is running already" },
} as const;

/** Doing it twice is harmless. */
export function switchCommand(verb: keyof typeof WORDS): Command {
  const { summary, done, already } = WORDS[verb];
  const enabled = verb === "resume";
  return defineCommand({
    summary,
    arguments: [{ name: "<name-or-id>", description: "name or id of the monitor" }],
    examples: [`monitors ${verb} "Home page"`],
    async run(context, _options, typed) {
      const api = context.api();
      const before = await findMonitor(api, typed as string);
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
