/** Runs one command line from its words to its exit code. Every error ends here, every output passes output/. */

import { createSecrets } from "@svc/as-code/plan";
import { wantsColor } from "../output/colors.ts";
import { Output } from "../output/output.ts";
import { generalError } from "../runtime/cli-error.ts";
import type { Command, CommandOutcome } from "../runtime/command.ts";
import { type Context, createContext, type GlobalFlags } from "../runtime/context.ts";
import { EXIT_CODES } from "../runtime/exit-codes.ts";
import { errorEnvelope, type Failure, failureOf, isForeseen } from "../runtime/failure.ts";
import type { System } from "../runtime/system.ts";
import { VERSION } from "../runtime/version.ts";
import { findCommand, globalFlagsOf, parseArguments, parserOf } from "./arguments.ts";
import { helpPage, isFamily, unknownCommand } from "./help.ts";
import { COMMANDS } from "./registry.ts";

/**
 * Runs one command line.
 * @returns the exit code
 */
export async function runCommandLine(args: readonly string[], system: System): Promise<number> {
  const flags = globalFlagsOf(args);
  const out = outputOf(system, flags);
  const context = createContext({ system, flags, out, commands: COMMANDS });
  try {
    return await run(args, context);
  } catch (error) {
    const failure = system.interrupted.aborted ? interruptedOr(error) : failureOf(error, apiUrlOf(context));
    report(out, failure, error);
    return EXIT_CODES[failure.reason];
  }
}

async function run(args: readonly string[], context: Context): Promise<number> {
  const { out } = context;
  const { words, entry, rest } = findCommand(args);
  if (!entry) {
    if (args.some((arg) => arg === "--version" || arg === "-V")) return version(out);
    const asked = words[0] === "help" ? words.slice(1) : words;
    const named = words[0] === "help" ? findCommand(asked).entry : undefined;
    if (named) return help(out, named.path, await named.load());
    if (asked.length > 0 && !isFamily(asked)) throw unknownCommand(asked);
    return page(out, helpPage(asked));
  }
  const module = await entry.load();
  const parser = parserOf(entry.path, module.command);
  const typed = parseArguments(parser, rest);
  if (typed.kind === "version") return version(out);
  if (typed.kind === "help") return help(out, entry.path, module);
  if (context.flags.json && module.command.hasJson === false)
    throw generalError(`svc ${entry.path} has no --json mode`);
  const outcome = await module.command.run(context, typed.options, typed.args);
  return outcome ? deliver(out, outcome) : EXIT_CODES.success;
}

function deliver(out: Output, { data, print, exit = "success" }: CommandOutcome): number {
  if (out.isJson && data !== undefined) out.object({ ok: true, data });
  else print?.(out);
  return EXIT_CODES[exit];
}

function version(out: Output): number {
  if (out.isJson) out.object({ ok: true, data: { version: VERSION } });
  else out.raw(VERSION);
  return EXIT_CODES.success;
}

function help(out: Output, path: string, module: { command: Command }): number {
  let text = "";
  const parser = parserOf(path, module.command).configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  parser.outputHelp();
  return page(out, text.trimEnd());
}

function page(out: Output, text: string): number {
  if (out.isJson) out.object({ ok: true, data: { help: text } });
  else out.raw(text);
  return EXIT_CODES.success;
}

function outputOf(system: System, flags: GlobalFlags): Output {
  const { stdout, stderr, env } = system;
  return new Output({
    stdout,
    stderr,
    secrets: createSecrets(),
    isJson: flags.json,
    isQuiet: flags.quiet,
    isVerbose: flags.verbose,
    hasColor: wantsColor(env, { isTty: stdout.isTty && stderr.isTty, isRefused: flags.noColor }),
  });
}

/**
 * Returns the failure of an interrupted command: Ctrl+C makes every wait fail, and only a partial failure says more
 * than that.
 */
function interruptedOr(error: unknown): Failure {
  const failure = failureOf(error, undefined);
  return failure.reason === "partial_failure"
    ? failure
    : { reason: "interrupted", message: "interrupted", details: {} };
}

function report(out: Output, failure: Failure, error: unknown): void {
  if (out.isJson) out.object(errorEnvelope(failure));
  else out.error(failure.message, failure.hint);
  // The trace of an error that was foreseen tells its reader nothing.
  if (out.isVerbose && !isForeseen(error) && error instanceof Error && error.stack) out.verbose(error.stack);
}

function apiUrlOf(context: Context): string | undefined {
  try {
    return context.apiUrl();
  } catch {
    return undefined;
  }
}
