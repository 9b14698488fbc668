/**
 * Has the service propose a part of a config for a description, with what a deploy of it would change: `svc generate`. Nothing is
 * applied: the config is printed, or written to a file.
 */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ApiError, counted, type GeneratedConfig } from "@svc/contract";
import { writeFiles } from "../config/write-config.ts";
import { changeLines } from "../deploy/print-plan.ts";
import type { Output } from "../output/output.ts";
import { asLimit, generalError } from "../runtime/cli-error.ts";
import { defineCommand } from "../runtime/command.ts";
import type { Context } from "../runtime/context.ts";
import { shownPath } from "../runtime/paths.ts";

/** Longest wait for the answer: the service promises it within 120 s. */
const TIMEOUT_MS = 150_000;

interface Options {
  output?: string;
  force?: boolean;
}

/** Defines `svc generate`. */
export const command = defineCommand<Options>({
  summary: "have a part of a config written from a description, with its plan; applies nothing",
  answers: async () => (await import("../answers/config.ts")).generate,
  arguments: [{ name: "<description>", description: "what to watch, whom to alert, when not to" }],
  options: [
    { flags: "--output <file>", description: "write the config to this file instead of printing it" },
    { flags: "--force", description: "overwrite what is there" },
  ],
  examples: [
    'generate "alert the shop team when Checkout fails twice in a row, not on Sundays"',
    'generate "an SLO of 99.9 % for Checkout" --output slo.yaml',
  ],
  async run(context, options, [description]) {
    const { cwd } = context.system;
    // A generation counts against the month's quota, so a file that may not be overwritten is refused first.
    if (options.output !== undefined && !options.force && existsSync(resolve(cwd, options.output)))
      throw generalError(`${options.output} exists already`, "--force overwrites it");
    const generated = await generate(context, description as string);
    const files =
      options.output === undefined ? new Map<string, string>() : filesOf(context, generated, options.output);
    if (files.size > 0) writeFiles(files, { cwd, isForced: options.force === true });
    const written = [...files.keys()].map((path) => shownPath(cwd, path));
    return { data: { ...generated, files: written }, print: (out) => print(out, generated, written) };
  },
});

async function generate(context: Context, description: string): Promise<GeneratedConfig> {
  try {
    return await context.api({ timeoutMs: TIMEOUT_MS }).generateConfig({ description });
  } catch (error) {
    throw error instanceof ApiError ? asLimit(error) : error;
  }
}

/** Returns the config and its scripts, by path. */
function filesOf(
  { system }: Context,
  { config, scripts }: GeneratedConfig,
  output: string,
): Map<string, string> {
  const path = resolve(system.cwd, output);
  return new Map([
    [path, config],
    ...scripts.map((script) => [join(dirname(path), script.path), script.text] as const),
  ]);
}

function print(out: Output, generated: GeneratedConfig, written: readonly string[]): void {
  const { config, explanation, warnings, plan, model, secrets, scripts } = generated;
  if (written.length === 0) out.line(out.block(config.trimEnd()));
  else out.line(`Wrote ${out.text(written.join(", "))}, by ${out.text(model)}.`);
  if (explanation !== "") out.info(out.text(explanation));
  for (const warning of warnings) out.warn(out.text(warning));
  if (secrets.length > 0) out.info(`a deploy needs ${out.text(secrets.join(", "))}`);
  if (scripts.length > 0 && written.length === 0)
    out.info(`${counted(scripts.length, "script")} not printed; --output writes them beside the config`);
  if (!plan) return;
  const { create, update, delete: deleted, unchanged } = plan.summary;
  for (const { fieldChanges, ...change } of plan.changes) {
    // A field that was not set, or that goes, is absent in the answer.
    const fields = fieldChanges.map(({ oldValue = null, newValue = null, ...field }) => ({
      ...field,
      oldValue,
      newValue,
    }));
    for (const line of changeLines(out, { ...change, fieldChanges: fields })) out.info(line);
  }
  out.info(
    `a deploy would create ${create}, update ${update} and delete ${deleted}; ${unchanged} unchanged. Nothing was applied`,
  );
}
