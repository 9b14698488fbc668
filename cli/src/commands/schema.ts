/** Prints the JSON Schema of what a command writes with --json: `svc schema monitors list`. */
import { nearestName } from "@svc/contract";
import type { Output } from "../output/output.ts";
import { generalError } from "../runtime/cli-error.ts";
import { type CommandOutcome, defineCommand } from "../runtime/command.ts";
import type { OutlinedCommand } from "../runtime/command-outline.ts";

/** Defines `svc schema`. Without a command, or with the first words of several, it lists those that have a schema. */
export const command = defineCommand({
  summary: "print the JSON Schema of what a command writes with --json",
  answers: async () => (await import("../answers/account.ts")).schema,
  arguments: [
    {
      name: "[command...]",
      description: "the words of a command (default: list the commands)",
      isCommand: true,
    },
  ],
  examples: ["schema", "schema monitors list", "schema status > status.schema.json"],
  async run({ commands }, _options, words): Promise<CommandOutcome> {
    const typed = words.join(" ");
    const listed = commands.filter(({ summary }) => summary !== "");
    const entry = listed.find(({ path }) => path === typed);
    if (entry) return await schemaOf(entry);
    const family = listed.filter(({ path }) => typed === "" || path.startsWith(`${typed} `));
    if (family.length === 0) throw unknown(typed, listed);
    return await list(family);
  },
});

async function schemaOf({ path, load }: OutlinedCommand): Promise<CommandOutcome> {
  const { command } = await load();
  if (command.hasJson === false) throw generalError(`svc ${path} has no --json mode`);
  const { outputFormOf, outputSchemaOf } = await import("../runtime/output-schema.ts");
  const answers = await command.answers();
  const schema = outputSchemaOf({ path }, answers, { isClosed: false });
  return {
    data: { command: path, output: outputFormOf(answers), schema },
    print: (out) => out.raw(JSON.stringify(schema, null, 2)),
  };
}

async function list(entries: readonly OutlinedCommand[]): Promise<CommandOutcome> {
  const { outputFormOf } = await import("../runtime/output-schema.ts");
  const loaded = await Promise.all(
    entries.map(async ({ path, summary, load }) => {
      const { command } = await load();
      if (command.hasJson === false) return [];
      return [{ command: path, summary, output: outputFormOf(await command.answers()) }];
    }),
  );
  const commands = loaded.flat();
  return { data: { commands }, print: (out) => print(out, commands) };
}

function print(out: Output, commands: readonly { command: string; summary: string }[]): void {
  for (const { command } of commands) out.line(command);
  out.info("Run: svc schema <command>");
}

function unknown(typed: string, listed: readonly OutlinedCommand[]) {
  const nearest = nearestName(
    typed,
    listed.map(({ path }) => path),
  );
  return generalError(
    `there is no command "${typed}"${nearest === undefined ? "" : `; did you mean "${nearest}"?`}`,
    "Run: svc schema",
  );
}
