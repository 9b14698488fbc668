/** What can be told of a command without running it: its words, arguments and flags. */

export interface OptionSpec {
  /** As commander takes them: `-o, --output <path>`. `--no-x` gives x: false. */
  flags: string;
  description: string;
  choices?: readonly string[];
  default?: string | number | boolean;
  /** Turns the text into what `run` gets. @throws CliError naming the flag */
  parse?(text: string): unknown;
  /** May be given several times; `run` gets a list. */
  repeats?: boolean;
}

export interface ArgumentSpec {
  /** `<name>` required, `[name]` optional, `...` within the brackets for several. */
  name: string;
  description: string;
  choices?: readonly string[];
}

export interface CommandOutline {
  summary: string;
  arguments?: readonly ArgumentSpec[];
  options?: readonly OptionSpec[];
  /** Command lines worth copying, without the leading `svc`. */
  examples?: readonly string[];
  /** False for a command that has no --json mode. */
  hasJson?: false;
}

/** A command as the lists of commands have it. */
export interface OutlinedCommand {
  /** Words separated by one space. */
  path: string;
  summary: string;
  load(): Promise<{ command: CommandOutline }>;
}
