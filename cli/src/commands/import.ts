/** Reports what it would import: `svc import`. Conversion is not available yet. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { CliError, generalError } from "../runtime/cli-error.ts";
import { defineCommand } from "../runtime/command.ts";

/** Five commercial tools, in neutral words, and a browser test framework. */
export const IMPORT_SOURCES = [
  "synthetics-a",
  "synthetics-b",
  "synthetics-c",
  "synthetics-d",
  "synthetics-e",
  "playwright",
] as const;

interface Options {
  from?: string;
  output: string;
}

/** Defines `svc import`. Ends with exit code 1 in any case. */
export const command = defineCommand<Options>({
  summary: "import monitors from another tool (a scaffold: reports the selection and exits 1)",
  answers: async () => (await import("../answers/config.ts")).importing,
  arguments: [{ name: "[path]", description: "export file or folder of the other tool" }],
  options: [
    { flags: "--from <source>", description: "the other tool", choices: IMPORT_SOURCES },
    { flags: "--output <path>", description: "folder to write the config to", default: "." },
  ],
  examples: ["import --from playwright ./tests"],
  async run({ system }, { from, output }, [path]) {
    if (from === undefined) throw generalError("--from is required", `Sources: ${IMPORT_SOURCES.join(", ")}`);
    if (path !== undefined && !existsSync(resolve(system.cwd, path)))
      throw generalError(`there is no ${path}`);
    throw new CliError(
      "general_error",
      `importing from ${from}${path === undefined ? "" : ` (${path})`} to ${output} is not available yet; nothing was written`,
      {
        hint: "Describe the monitors in svc.config.yaml: svc init",
        details: { from, path: path ?? null, output, imported: 0 },
      },
    );
  },
});
