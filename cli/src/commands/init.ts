/** `svc init`: writes a config with one monitor to begin with. */
import { existsSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { checkNameSchema, durationSeconds, httpUrlSchema, projectNameSchema } from "@svc/contract";
import type * as z from "zod";
import { CONFIG_FILE, CONFIG_FOLDER, type ConfigFormat, findConfig } from "../config/find-config.ts";
import { schemaComment, writeFiles, yamlText } from "../config/write-config.ts";
import { generalError } from "../runtime/cli-error.ts";
import { defineCommand, type Outcome } from "../runtime/command.ts";
import type { Context } from "../runtime/context.ts";

interface Options {
  name?: string;
  url?: string;
  type: "http" | "browser" | "mcp";
  frequency: string;
  format: ConfigFormat;
  force?: boolean;
}

const DEFAULT_LOCATION = "loc_us_east";

export const command = defineCommand<Options>({
  summary: "write a config with one monitor to begin with",
  options: [
    { flags: "--name <name>", description: "name of the project (default: the folder's)" },
    {
      flags: "--url <url>",
      description: "what to watch (asked for in a terminal; required when non-interactive)",
    },
    {
      flags: "--type <type>",
      description: "kind of monitor",
      choices: ["http", "browser", "mcp"],
      default: "http",
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
  async run(context, options): Promise<Outcome> {
    const { cwd } = context.system;
    const existing = findConfig(cwd);
    if (existing && !options.force)
      throw generalError(`${relative(cwd, existing.path)} exists already`, "--force overwrites it");
    if (existing && existing.format !== options.format)
      throw generalError(
        `${relative(cwd, existing.path)} exists already, in the other layout`,
        "Remove it first",
      );
    const url = checked(httpUrlSchema, await urlOf(context, options), "--url");
    const project = checked(
      projectNameSchema,
      options.name ?? (basename(resolve(cwd)) || "project"),
      "--name",
    );
    assertFrequency(options.frequency);
    const files = scaffold(context, options, { url, project });
    writeFiles(files, { cwd, isForced: options.force === true });
    const written = [...files.keys()].map((path) => relative(cwd, path));
    return {
      data: { project, files: written },
      print: (out) => {
        for (const file of written) out.line(`wrote ${out.text(file)}`);
        out.info("Next: svc validate, svc test, svc deploy");
      },
    };
  },
});

async function urlOf({ isInteractive, signal, system }: Context, { url, type }: Options): Promise<string> {
  if (url !== undefined) return url;
  if (!isInteractive || !system.ask)
    throw generalError("--url is required when no one can be asked", "svc init --url https://example.com");
  const question = type === "mcp" ? "MCP endpoint to watch: " : "URL to watch: ";
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
  { url, project }: { url: string; project: string },
): Map<string, string> {
  const { cwd } = context.system;
  const schemaLine = schemaComment(context.apiUrl());
  const host = new URL(url).hostname;
  const defaults = { frequency, locations: [DEFAULT_LOCATION] };
  const script = `./monitors/${type === "browser" ? "home.ts" : ""}`;
  const monitor = checkedName({
    http: { name: host, type, url, assertions: [{ type: "status_code", value: 200 }] },
    browser: { name: host, type, script: format === "file" ? script : "./home.ts" },
    mcp: { name: host, type, endpoint: url },
  })[type];
  const folder = join(cwd, CONFIG_FOLDER);
  const files = new Map<string, string>();
  if (format === "file") {
    files.set(join(cwd, CONFIG_FILE), schemaLine + yamlText({ project, defaults, monitors: [monitor] }));
  } else {
    files.set(join(folder, "project.yaml"), yamlText({ project, defaults }));
    files.set(join(folder, "monitors", "home.yaml"), yamlText({ monitors: [monitor] }));
  }
  if (type === "browser") {
    const path = join(format === "file" ? cwd : folder, "monitors", "home.ts");
    if (!existsSync(path)) files.set(path, browserScript(url));
  }
  return files;
}

function checkedName<T extends Record<string, { name: string }>>(monitors: T): T {
  for (const { name } of Object.values(monitors)) checkNameSchema.parse(name);
  return monitors;
}

function browserScript(url: string): string {
  return `import { expect, test } from "@playwright/test";

test("home page", async ({ page }) => {
  // @step: Open the page
  await page.goto(${JSON.stringify(url)});
  await expect(page).toHaveTitle(/./);
});
`;
}
