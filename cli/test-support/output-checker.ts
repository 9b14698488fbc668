/**
 * Holds what a command line writes to stdout with --json against the schema of its command, in which every object is closed: an unknown
 * or missing field is an error. Each schema is compiled when the first output needs it.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";
import * as z from "zod";
import type { Answers } from "../src/answers/answers.ts";
import { findCommand } from "../src/program/arguments.ts";
import { outputSchemaOf } from "../src/runtime/output-schema.ts";

const ajv = new Ajv2020({ strict: false, logger: false, allErrors: true });
addFormatsModule.default(ajv);

const validators = new Map<string, ValidateFunction>();

/** Answers of the flags that are answered instead of running a command. */
const HELP: Answers = { data: z.object({ help: z.string() }) };
const VERSION: Answers = { data: z.object({ version: z.string() }) };

/** The output of a command line. */
export interface Written {
  args: readonly string[];
  stdout: string;
}

/**
 * Checks the output of a command line; one without --json has none to check.
 * @throws Error that names the command line and every difference
 */
export async function checkOutput({ args, stdout }: Written): Promise<void> {
  const flags = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  if (!flags.includes("--json")) return;
  const { path, answers } = await answersOf(args, flags);
  const isStream =
    answers.lines !== undefined && (answers.data === undefined || hasStreamFlag(flags, answers));
  const lines = stdout === "" ? [] : stdout.replace(/\n$/, "").split("\n");
  const shown = `svc ${args.join(" ")}`;
  if (!isStream && lines.length !== 1)
    throw new Error(`${shown} wrote ${lines.length} lines instead of one object: ${stdout.slice(0, 500)}`);
  const validate = validatorOf(path, answers, isStream);
  for (const line of lines) {
    const problem = problemOf(line, validate);
    if (problem)
      throw new Error(
        `${shown} wrote what its schema does not describe: ${problem}\n${line.slice(0, 2_000)}`,
      );
  }
}

async function answersOf(
  args: readonly string[],
  flags: readonly string[],
): Promise<{ path: string; answers: Answers }> {
  const has = (...names: string[]) => flags.some((flag) => names.includes(flag));
  if (has("--version", "-V")) return { path: "--version", answers: VERSION };
  const { entry, words } = findCommand(args);
  if (!entry || has("--help", "-h") || words[0] === "help") return { path: "--help", answers: HELP };
  const { command } = await entry.load();
  return { path: entry.path, answers: command.hasJson === false ? {} : await command.answers() };
}

function hasStreamFlag(flags: readonly string[], { lines }: Answers): boolean {
  return lines?.withFlag !== undefined && flags.includes(lines.withFlag);
}

function validatorOf(path: string, { data, lines, details }: Answers, isStream: boolean): ValidateFunction {
  const key = `${path} ${isStream}`;
  let validate = validators.get(key);
  if (!validate) {
    const written = isStream ? { lines, details } : { data, details };
    validate = ajv.compile(outputSchemaOf({ path }, written as Answers, { isClosed: true }));
    validators.set(key, validate);
  }
  return validate;
}

function problemOf(line: string, validate: ValidateFunction): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return "it is no JSON";
  }
  if (validate(value)) return undefined;
  const { ok } = value as { ok?: unknown };
  const part = ok === true ? "/data" : ok === false ? "/error" : "";
  const errors = validate.errors ?? [];
  const ofPart = errors.filter(({ instancePath }) => instancePath.startsWith(part));
  return (ofPart.length > 0 ? ofPart : errors)
    .slice(0, 8)
    .map(
      ({ instancePath, message, params }) => `${instancePath || "it"} ${message} ${JSON.stringify(params)}`,
    )
    .join("; ");
}
