/** Writes a config with one monitor to begin with: `svc init`. */

import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { CONFIG_FILE, CONFIG_FOLDER, type ConfigFormat, schemaComment, yamlText } from "@svc/as-code";
import {
  type CheckType,
  checkNameSchema,
  checkTypes,
  durationSeconds,
  httpUrlSchema,
  projectNameSchema,
} from "@svc/contract";
import type * as z from "zod";
import { findConfig } from "../config/find-config.ts";
import { writeFiles } from "../config/write-config.ts";
import { generalError } from "../runtime/cli-error.ts";
import { type CommandOutcome, defineCommand } from "../runtime/command.ts";
import type { Context } from "../runtime/context.ts";
import { shownPath } from "../runtime/paths.ts";

interface Options {
  name?: string;
  url?: string;
  type: CheckType;
  frequency: string;
  format: ConfigFormat;
  force?: boolean;
}

const DEFAULT_LOCATION = "loc_us_east";
const SCRIPT_FILE = "home.ts";

/** Defines `svc init`. Asks for the URL in a terminal when no flag gives it. */
export const command = defineCommand<Options>({
  summary: "write a config with one monitor to begin with",
  answers: async () => (await import("../answers/config.ts")).init,
  options: [
    { flags: "--name <name>", description: "name of the project (default: the folder's)" },
    {
      flags: "--url <url>",
      description:
        "what to watch (asked for in a terminal; required when non-interactive; a monitor that reports by itself has none)",
    },
    {
      flags: "--type <type>",
      description: "kind of monitor",
      choices: checkTypes.types,
      default: checkTypes.types[0],
    },
    { flags: "--frequency <duration>", description: "how often: 30s, 5m, 1h", default: "5m" },
    {
      flags: "--format <format>",
      description: `one file (${CONFIG_FILE}) or a folder (${CONFIG_FOLDER}/)`,
      choices: ["file", "directory"],
      default: "file",
    },
    { flags: "--force", description: "overwrite what is there" },
  ],
  examples: [
    "init --url https://example.com",
    "init --name shop --url https://shop.example.com --type browser --format directory",
  ],
  async run(context, options): Promise<CommandOutcome> {
    const { cwd } = context.system;
    const existing = findConfig(cwd);
    if (existing && !options.force)
      throw generalError(`${shownPath(cwd, existing.path)} exists already`, "--force overwrites it");
    if (existing && existing.format !== options.format)
      throw generalError(
        `${shownPath(cwd, existing.path)} exists already, in the other layout`,
        "Remove it first",
      );
    const given = await urlOf(context, options);
    const url = given === undefined ? undefined : checked(httpUrlSchema, given, "--url");
    const project = checked(
      projectNameSchema,
      options.name ?? (basename(resolve(cwd)) || "project"),
      "--name",
    );
    assertFrequency(options.frequency);
    const files = scaffold(context, options, { url, project });
    writeFiles(files, { cwd, isForced: options.force === true });
    const written = [...files.keys()].map((path) => shownPath(cwd, path));
    return {
      data: { project, files: written },
      print: (out) => {
        for (const file of written) out.line(`wrote ${out.text(file)}`);
        out.info("Next: svc validate, svc test, svc deploy");
      },
    };
  },
});

/** Returns the URL to watch; undefined for a type whose monitors have none, unless one is given all the same. */
async function urlOf(
  { isInteractive, signal, system }: Context,
  { url, type }: Options,
): Promise<string | undefined> {
  const { question }: { question?: string } = checkTypes.get(type).starter;
  if (url !== undefined || question === undefined) return url;
  if (!isInteractive || !system.ask)
    throw generalError("--url is required when no one can be asked", "svc init --url https://example.com");
  return (await system.ask(question, signal)).trim();
}

function assertFrequency(text: string): void {
  const seconds = durationSeconds(text);
  if (seconds === undefined || seconds < 10 || seconds > 86_400)
    throw generalError(`--frequency is ${text}; expected a duration from 10s to 24h, e.g. 30s, 5m, 1h`);
}

function checked(schema: z.ZodType<string>, value: string, flag: string): string {
  const parsed = schema.safeParse(value);
  if (parsed.success) return value;
  throw generalError(`${flag} is "${value}": ${parsed.error.issues[0]?.message}`);
}

function scaffold(
  context: Context,
  { type, frequency, format }: Options,
  { url, project }: { url: string | undefined; project: string },
): Map<string, string> {
  const { cwd } = context.system;
  const schemaLine = schemaComment(context.apiUrl());
  const name = url === undefined ? project : new URL(url).hostname;
  const defaults = { frequency, locations: [DEFAULT_LOCATION] };
  const { starter, scriptField } = checkTypes.get(type);
  const script = starter.script?.(url ?? "");
  const scriptPath = format === "file" ? `./monitors/${SCRIPT_FILE}` : `./${SCRIPT_FILE}`;
  const monitor = {
    name: checkNameSchema.parse(name),
    type,
    ...(scriptField === undefined ? {} : { [scriptField]: scriptPath }),
    ...starter.fields(url ?? ""),
  };
  const folder = join(cwd, CONFIG_FOLDER);
  const files = new Map<string, string>();
  if (format === "file") {
    files.set(join(cwd, CONFIG_FILE), schemaLine + yamlText({ project, defaults, monitors: [monitor] }));
  } else {
    files.set(join(folder, "project.yaml"), yamlText({ project, defaults }));
    files.set(join(folder, "monitors", "home.yaml"), yamlText({ monitors: [monitor] }));
  }
  if (script !== undefined) {
    const path = join(format === "file" ? cwd : folder, "monitors", SCRIPT_FILE);
    if (!existsSync(path)) files.set(path, script);
  }
  return files;
}
