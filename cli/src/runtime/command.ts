/** What a command is. One file per command under commands/, its path = the words typed; a line in registry.ts makes it known. */

import type { Output } from "../output/output.ts";
import type { CommandOutline } from "./command-outline.ts";
import type { Context } from "./context.ts";
import type { ExitReason } from "./exit-codes.ts";

/** What a command did. Fetching and deciding happen in `run`, printing in `print`. */
export interface Outcome {
  /** `data` of the envelope in --json; left out when everything was written already. */
  data?: unknown;
  /** The same for a person; not called in --json. */
  print?(out: Output): void;
  /** When the finding itself has an exit code (an unhealthy monitor, drift); the work was done. Default success. */
  exit?: ExitReason;
}

export interface Command<Options = Record<string, unknown>> extends CommandOutline {
  /** Void when it wrote everything itself (a stream of objects, a script). @throws CliError, ApiError and what fetch throws */
  // biome-ignore lint/suspicious/noConfusingVoidType: a command that has nothing to answer returns nothing
  run(context: Context, options: Options, ...args: string[]): Promise<Outcome | void>;
}

/** Only there for its types: `Options` is what the flags of `options` give. */
export function defineCommand<Options = Record<never, never>>(command: Command<Options>): Command {
  return command as Command;
}
