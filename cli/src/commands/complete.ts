/**
 * Lists the words that may replace the last one, one per line: `svc complete -- <words>`. The completion scripts run it.
 */
import { defineCommand } from "../runtime/command.ts";
import type { CommandOutline, OutlinedCommand } from "../runtime/command-outline.ts";
import { GLOBAL_OPTIONS } from "../runtime/global-options.ts";

/** Defines `svc complete`. Prints nothing when no word fits; contacts no service. */
export const command = defineCommand({
  summary: "list what may come next (for completion scripts)",
  answers: async () => (await import("../answers/account.ts")).complete,
  arguments: [{ name: "[words...]", description: "the words typed so far, the unfinished one last" }],
  async run({ out, commands }, _options, words) {
    const candidates = await candidatesFor(commands, words);
    if (out.isJson) return { data: { candidates } };
    if (candidates.length > 0) out.raw(candidates.join("\n"));
  },
});

async function candidatesFor(
  commands: readonly OutlinedCommand[],
  words: readonly string[],
): Promise<string[]> {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const typed = before.filter((word, i) => !word.startsWith("-") && !hasValue(before[i - 1]));
  const entry = commands.find(({ path }) => path === typed.slice(0, path.split(" ").length).join(" "));
  const command = entry && (await entry.load()).command;
  const pathLength = entry?.path.split(" ").length ?? 0;
  const choices = command && choicesAfter(command, before.at(-1) ?? "");
  const all = choices ?? [
    ...(command
      ? argumentsOf(command, nextWords(commands, typed.slice(pathLength)))
      : nextWords(commands, typed)),
    ...(current.startsWith("-") ? flagsOf(command) : []),
  ];
  return [...new Set(all)].filter((word) => word.startsWith(current)).sort();
}

/** True for a global flag whose value is the next word. */
function hasValue(word: string | undefined): boolean {
  return GLOBAL_OPTIONS.some(({ flags }) => flags.includes("<") && flags.startsWith(`${word} `));
}

/** Returns the words that may follow these on the way to a command. */
function nextWords(commands: readonly OutlinedCommand[], typed: readonly string[]): string[] {
  return commands
    .map(({ path }) => path.split(" "))
    .filter(
      (path) =>
        path[0] !== "complete" && path.length > typed.length && typed.every((word, i) => word === path[i]),
    )
    .map((path) => path[typed.length] as string);
}

/** Returns what may be typed as an argument: its closed set of values, or the words of a command. */
function argumentsOf(command: CommandOutline, commandWords: readonly string[]): readonly string[] {
  return (command.arguments ?? []).flatMap(({ choices = [], isCommand }) =>
    isCommand ? commandWords : choices,
  );
}

function flagsOf(command: CommandOutline | undefined): string[] {
  const options = [...(command?.options ?? []), ...GLOBAL_OPTIONS];
  return [...options.map(({ flags }) => longFlag(flags)), "--help", "--version"];
}

/** Returns the values of the flag before the word; undefined when it is no flag with a closed set of values. */
function choicesAfter({ options = [] }: CommandOutline, flag: string): readonly string[] | undefined {
  return options.find(({ flags, choices }) => choices && flags.split(/[ ,]+/).includes(flag))?.choices;
}

function longFlag(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}
