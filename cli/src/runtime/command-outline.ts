/** Outline of a command: everything that help, completion and the parser need without running it. */
import type { Answers } from "../answers/answers.ts";

/** One flag of a command. */
export interface OptionSpec {
  /** Written as commander takes it: `-o, --output <path>`. `--no-x` gives `x: false`. */
  flags: string;
  description: string;
  choices?: readonly string[];
  default?: string | number | boolean;
  /**
   * Turns the typed text into the value that `run` gets.
   * @throws CliError naming the flag
   */
  parse?(text: string): unknown;
  /** True when the flag may be given several times; `run` then gets a list. */
  repeats?: boolean;
}

/** One argument of a command. */
interface ArgumentSpec {
  /** `<name>` when required, `[name]` when optional; `...` within the brackets allows several. */
  name: string;
  description: string;
  choices?: readonly string[];
  /** True for the words of a command, which completion then offers. */
  isCommand?: true;
}

/** A command's --json mode: its schemas, loaded when somebody asks for them, or none at all. */
type JsonMode =
  | { readonly hasJson: false; answers?: never }
  | { hasJson?: never; answers(): Answers | Promise<Answers> };

/** Outline of one command. */
export type CommandOutline = OutlineWithoutJson & JsonMode;

interface OutlineWithoutJson {
  summary: string;
  arguments?: readonly ArgumentSpec[];
  options?: readonly OptionSpec[];
  /** Command lines worth copying, without the leading `svc`. */
  examples?: readonly string[];
}

/** Entry of the list of commands; the command itself is loaded when it is typed. */
export interface OutlinedCommand {
  /** The words typed, separated by one space. */
  path: string;
  summary: string;
  load(): Promise<{ command: CommandOutline }>;
}
