/** Finds the command in the words typed, and parses its options. */
import { Argument, CommanderError, Option, Command as Parser } from "commander";
import { generalError } from "../runtime/cli-error.ts";
import type { Command } from "../runtime/command.ts";
import type { OptionSpec } from "../runtime/command-outline.ts";
import type { GlobalFlags } from "../runtime/context.ts";
import {
  GLOBAL_OPTIONS,
  GLOBAL_OPTIONS_TITLE,
  HELP_OPTION,
  VERSION_OPTION,
} from "../runtime/global-options.ts";
import { COMMANDS, type CommandEntry } from "./registry.ts";

/** Global flags that take a value: the word after one is no word of the command. */
const VALUE_FLAGS = new Set(["--api-url"]);

/** The words typed, sorted out. */
export interface Typed {
  /** The words that are no flags, in order; the longest known start of them is the path of the command. */
  words: string[];
  entry: CommandEntry | undefined;
  /** The arguments without the path of the command. */
  rest: string[];
}

/** Finds the command; global flags may stand anywhere. */
export function findCommand(args: readonly string[]): Typed {
  const wordAt: number[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    if (arg === "--") break;
    if (VALUE_FLAGS.has(arg)) i++;
    else if (!arg.startsWith("-")) wordAt.push(i);
  }
  const words = wordAt.map((i) => args[i] as string);
  for (let count = words.length; count > 0; count--) {
    const path = words.slice(0, count).join(" ");
    const entry = COMMANDS.find((one) => one.path === path);
    // Only global flags may stand between the words of a path: a flag of the command's own could take the next word as
    // its value.
    if (entry)
      return { words, entry, rest: args.filter((_, i) => !wordAt.slice(0, count).includes(i)) as string[] };
  }
  return { words, entry: undefined, rest: [...args] };
}

/** Reads the global flags at any position. Unknown flags are refused later, by the command's parser. */
export function globalFlagsOf(args: readonly string[]): GlobalFlags {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const before = args.slice(0, end);
  const at = before.findIndex((arg) => arg === "--api-url" || arg.startsWith("--api-url="));
  const apiUrl = before[at]?.startsWith("--api-url=") ? before[at]?.slice(10) : before[at + 1];
  return {
    json: before.includes("--json"),
    quiet: before.includes("--quiet"),
    noColor: before.includes("--no-color"),
    verbose: before.includes("--verbose"),
    ...(at >= 0 && apiUrl !== undefined ? { apiUrl } : {}),
  };
}

/** Builds the parser of a command: its own flags and arguments, and the global flags. */
export function parserOf(path: string, command: Command): Parser {
  const parser = new Parser(`svc ${path}`)
    .description(sentence(command.summary))
    .addHelpOption(toOption(HELP_OPTION).helpGroup(GLOBAL_OPTIONS_TITLE))
    .version("", VERSION_OPTION.flags, VERSION_OPTION.description)
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {}, outputError: () => {} });
  parser.options[0]?.helpGroup(GLOBAL_OPTIONS_TITLE);
  for (const { name, description, choices } of command.arguments ?? []) {
    const argument = new Argument(name, description);
    parser.addArgument(choices ? argument.choices(choices) : argument);
  }
  for (const option of command.options ?? []) parser.addOption(toOption(option));
  for (const option of GLOBAL_OPTIONS) parser.addOption(toOption(option).helpGroup(GLOBAL_OPTIONS_TITLE));
  if (command.examples)
    parser.addHelpText("after", `\nExamples:\n${command.examples.map((line) => `  svc ${line}`).join("\n")}`);
  return parser;
}

function toOption(spec: OptionSpec): Option {
  const option = new Option(spec.flags, spec.description);
  if (spec.choices) option.choices(spec.choices);
  if (spec.default !== undefined) option.default(spec.default);
  const { parse = (text: string) => text } = spec;
  if (spec.repeats)
    option.argParser((text: string, before: unknown[] | undefined) => [...(before ?? []), parse(text)]);
  else if (spec.parse) option.argParser(parse);
  return option;
}

/**
 * Parses the words for a command; help or the version may be asked for instead.
 * @throws CliError for flags and arguments that the command doesn't take
 */
export function parseArguments(
  parser: Parser,
  rest: readonly string[],
):
  | { kind: "run"; options: Record<string, unknown>; args: string[] }
  | { kind: "help" }
  | { kind: "version" } {
  try {
    parser.parse(rest, { from: "user" });
    const args = parser.processedArgs as (string | undefined)[];
    return { kind: "run", options: ownOptions(parser.opts()), args: args.flat() as string[] };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === "commander.helpDisplayed") return { kind: "help" };
    if (error.code === "commander.version") return { kind: "version" };
    throw generalError(
      error.message.replace(/^error: /, "").replace(/\n/g, " "),
      `Run: ${parser.name()} --help`,
    );
  }
}

/** Leaves the global flags out: commands hand their options on, to a query for instance. */
function ownOptions(options: Record<string, unknown>): Record<string, unknown> {
  const { json: _json, quiet: _quiet, color: _color, verbose: _verbose, apiUrl: _apiUrl, ...own } = options;
  return own;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
