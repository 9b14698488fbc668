/** Outline of a command: everything that help, completion and the parser need without running it. */

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
}

/** Outline of one command. */
export interface CommandOutline {
  summary: string;
  /** Describes `data` of the --json envelope, for the table of docs/cli.md; absent when the page describes it elsewhere. */
  answers?: string;
  arguments?: readonly ArgumentSpec[];
  options?: readonly OptionSpec[];
  /** Command lines worth copying, without the leading `svc`. */
  examples?: readonly string[];
  /** False for a command that has no --json mode. */
  hasJson?: false;
}

/** Entry of the list of commands; the command itself is loaded when it is typed. */
export interface OutlinedCommand {
  /** The words typed, separated by one space. */
  path: string;
  summary: string;
  load(): Promise<{ command: CommandOutline }>;
}
