/**
 * The shape of a command. Each command is one file under commands/, whose path is the words typed, and one line in
 * program/registry.ts.
 */

import type { Output } from "../output/output.ts";
import type { CommandOutline } from "./command-outline.ts";
import type { Context } from "./context.ts";
import type { ExitReason } from "./exit-codes.ts";

/** Outcome of a command. Fetching and deciding happen in `run`, printing in `print`. */
export interface CommandOutcome {
  /** `data` of the envelope in --json; absent when everything was written already. */
  data?: unknown;
  /** Prints the outcome for a person; not called in --json. */
  print?(out: Output): void;
  /** Exit code of a finding (an unhealthy monitor, drift) although the work was done. Default: success. */
  exit?: ExitReason;
}

/** A command: its outline, and how it runs. */
export type Command<Options = Record<string, unknown>> = CommandOutline & {
  /**
   * Runs the command; resolves with nothing when it wrote everything itself (a stream of objects, a script).
   * @param args the arguments typed, in the order of the outline; an optional one may be missing
   * @throws CliError, ApiError and what fetch throws
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a command that has nothing to answer returns nothing
  run(context: Context, options: Options, args: readonly string[]): Promise<CommandOutcome | void>;
};

/** Returns the command; exists for its types: `Options` are the values that the flags of `options` give. */
export function defineCommand<Options = Record<never, never>>(command: Command<Options>): Command {
  return command as Command;
}
