/** Writes a config of what another tool watches: `svc import`. */
import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { CONFIG_FILE, filesOf, KNOWN_CHARACTERS_MIN, schemaComment } from "@svc/as-code";
import { ImportError, type Imported, type ImportNote, importFiles, importSources } from "@svc/as-code/import";
import { createSecrets } from "@svc/as-code/plan";
import { counted } from "@svc/contract";
import { readExportFiles } from "../import/read-export-files.ts";
import type { Output } from "../output/output.ts";
import { destinationOf, formerTexts, projectIn, writePulled } from "../pull/destination.ts";
import { readWritten } from "../pull/read-written.ts";
import { CliError, generalError } from "../runtime/cli-error.ts";
import { type CommandOutcome, defineCommand } from "../runtime/command.ts";
import type { Context } from "../runtime/context.ts";
import { commaList } from "../runtime/option-values.ts";
import { shownPath } from "../runtime/paths.ts";

/** Tools that nothing is imported from yet: five commercial ones, in neutral words, and a browser test framework. */
const PLANNED_SOURCES = [
  "synthetics-a",
  "synthetics-b",
  "synthetics-c",
  "synthetics-d",
  "synthetics-e",
  "playwright",
] as const;

const DEFAULT_LOCATION = "loc_us_east";

interface Options {
  from?: string;
  output: string;
  location?: string[];
  force?: boolean;
}

/** Defines `svc import`. Asks no service. Without `--force`, existing files that would change are an error. */
export const command = defineCommand<Options>({
  summary:
    "write a config of what another tool watches, from its own export, and list what is not carried over",
  answers: async () => (await import("../answers/config.ts")).importing,
  arguments: [{ name: "[path]", description: "the export: a file, a folder of files, or - for stdin" }],
  options: [
    {
      flags: "--from <source>",
      description: "the other tool",
      choices: [...importSources.types, ...PLANNED_SOURCES],
    },
    {
      flags: "--output <path>",
      description: `the file to write (.yaml), or a folder for ${CONFIG_FILE}`,
      default: ".",
    },
    {
      flags: "--location <ids>",
      description: `where monitors run whose own locations svc has not, comma-separated (default: ${DEFAULT_LOCATION})`,
      parse: locationIds,
    },
    { flags: "--force", description: "overwrite the config that is there" },
  ],
  examples: [
    "import --from gatus config.yaml",
    "import --from checkly export/ --output shop/ --location loc_eu_central",
  ],
  async run(context, options, [path]): Promise<CommandOutcome> {
    const { from } = options;
    if (from === undefined)
      throw generalError(
        "--from is required",
        `Sources: ${[...importSources.types, ...PLANNED_SOURCES].join(", ")}`,
      );
    const source = importSources.find(from);
    if (!source) throw notAvailable(context, { ...options, from }, path);
    if (path === undefined)
      throw generalError("the path of the export is required", `Expected ${source.expects}; or - for stdin`);
    const { out, system } = context;
    const destination = destinationOf(system.cwd, options.output, "file");
    const files = await readExportFiles(path, context);
    const imported = orCliError(() =>
      importFiles(source, { files, env: system.env, locations: options.location ?? [DEFAULT_LOCATION] }),
    );
    for (const value of imported.placeholders.met())
      if (value.length >= KNOWN_CHARACTERS_MIN) out.secrets.add(value);
    const project =
      projectIn(formerTexts(destination)) ??
      (basename(resolve(destination.folder)) || "project").slice(0, 100);
    const written = writtenFiles(context, { imported, project, fileName: destination.fileName });
    writePulled(destination, written, { cwd: system.cwd, isForced: options.force === true });
    const { config, notes, omittedNotes, unmanaged, alerts, placeholders } = imported;
    const data = {
      from: source.type,
      project,
      files: [...written.keys()].map((one) => shownPath(system.cwd, resolve(destination.folder, one))),
      monitors: config.monitors.length,
      alerts,
      channels: Object.keys(config.alertChannels).length,
      monitorsLeftOut: unmanaged.length,
      secrets: placeholders.variables(),
      notes,
      omittedNotes,
    };
    return { data, print: (printed) => print(printed, data) };
  },
});

function locationIds(text: string): string[] {
  const ids = [...new Set(commaList(text))];
  const wrong = ids.find((id) => !/^loc_\w{1,100}$/.test(id));
  if (ids.length > 0 && wrong === undefined) return ids;
  throw generalError(`--location is "${text}"; expected ids such as loc_eu_central, separated by commas`);
}

function notAvailable(
  { system }: Context,
  { from, output }: Options & { from: string },
  path: string | undefined,
): CliError {
  if (path !== undefined && !existsSync(resolve(system.cwd, path))) throw generalError(`there is no ${path}`);
  return new CliError(
    "general_error",
    `importing from ${from}${path === undefined ? "" : ` (${path})`} to ${output} is not available yet; nothing was written`,
    {
      hint: "Describe the monitors in svc.config.yaml: svc init",
      details: { from, path: path ?? null, output, imported: 0 },
    },
  );
}

function orCliError<Result>(convert: () => Result): Result {
  try {
    return convert();
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    throw generalError(error.message, error.hint);
  }
}

/**
 * Returns the texts of the config's files, which a deploy could read.
 * @throws CliError when it could not, which is a mistake of the conversion
 */
function writtenFiles(
  context: Context,
  { imported, project, fileName }: { imported: Imported; project: string; fileName: string },
): Map<string, string> {
  const { config, unmanaged, placeholders } = imported;
  const { out } = context;
  const files = filesOf("file", fileName, {
    project,
    config,
    schemaLine: schemaComment(context.apiUrl()),
    unmanaged: unmanaged.map((one) => ({ ...one, name: out.secrets.redact(one.name) })),
  });
  const secrets = placeholders.values();
  readWritten(files, { context, format: "file", fileName, secrets, known: createSecrets() });
  return files;
}

interface Shown {
  files: string[];
  monitors: number;
  alerts: number;
  channels: number;
  monitorsLeftOut: number;
  secrets: { name: string; isSet: boolean }[];
  notes: ImportNote[];
  omittedNotes: number;
}

function print(
  out: Output,
  { files, monitors, alerts, channels, monitorsLeftOut, secrets, notes, omittedNotes }: Shown,
): void {
  for (const file of files) out.line(`wrote ${out.text(file)}`);
  out.line(
    [
      counted(monitors, "monitor"),
      counted(alerts, "alert rule"),
      counted(channels, "channel"),
      ...(monitorsLeftOut > 0 ? [`${counted(monitorsLeftOut, "monitor")} left out`] : []),
    ].join(", "),
  );
  printNotes(
    out,
    "Not carried over:",
    notes.filter(({ effect }) => effect === "left_out"),
  );
  printNotes(
    out,
    "Carried over otherwise:",
    notes.filter(({ effect }) => effect === "changed"),
  );
  if (omittedNotes > 0) out.line(`and ${counted(omittedNotes, "note")} more`);
  if (monitors > 0) out.line("Nothing was asked of svc: svc deploy checks that the locations are there.");
  if (secrets.length === 0) return;
  out.line("Secrets are not written. The config reads them from these environment variables:");
  for (const { name, isSet } of secrets)
    out.line(`  ${out.text(name)}  ${isSet ? out.colors.green("set") : out.colors.yellow("not set here")}`);
}

function printNotes(out: Output, heading: string, notes: readonly ImportNote[]): void {
  if (notes.length === 0) return;
  out.line(heading);
  for (const { file, path, monitor, message } of notes) {
    const where = path === "" ? file : `${file}, ${path}`;
    out.line(
      `  ${out.text(where)}: ${monitor === null ? "" : `"${out.text(monitor)}": `}${out.text(message)}`,
    );
  }
}
