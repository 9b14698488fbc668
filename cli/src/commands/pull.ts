/** Writes a config that describes the service's resources: `svc pull`. */

import { basename, resolve } from "node:path";
import {
  CONFIG_FILE,
  CONFIG_FOLDER,
  type ConfigFormat,
  configOf,
  createPlaceholders,
  filesOf,
  KNOWN_CHARACTERS_MIN,
  schemaComment,
  secretNamesIn,
  type Unmanaged,
} from "@svc/as-code";
import { counted } from "@svc/contract";
import { findConfig } from "../config/find-config.ts";
import { fetchRemote } from "../deploy/fetch-remote.ts";
import { writeState } from "../deploy/state.ts";
import type { Output } from "../output/output.ts";
import { configPathOf, destinationOf, formerTexts, projectIn, writePulled } from "../pull/destination.ts";
import { selectRemote } from "../pull/select-remote.ts";
import { verifyPulled } from "../pull/verify-pulled.ts";
import { type CommandOutcome, defineCommand } from "../runtime/command.ts";
import type { Context } from "../runtime/context.ts";
import { shownPath } from "../runtime/paths.ts";

interface Options {
  output?: string;
  format: ConfigFormat;
  monitor?: string;
  force?: boolean;
}

/** Defines `svc pull`. Without `--force`, existing files that would change are an error, and nothing is written. */
export const command = defineCommand<Options>({
  summary: "write a config of what the service has; secrets become placeholders",
  answers: async () => (await import("../answers/config.ts")).pull,
  options: [
    { flags: "-o, --output <path>", description: "folder to write to, or the file (default: here)" },
    {
      flags: "--format <format>",
      description: `one file (${CONFIG_FILE}) or a folder (${CONFIG_FOLDER}/)`,
      choices: ["file", "directory"],
      default: "file",
    },
    { flags: "--monitor <name-or-id>", description: "only this monitor, with what belongs to it" },
    { flags: "--force", description: "overwrite the whole config that is there" },
  ],
  examples: ["pull", "pull --format directory --force", 'pull --monitor "Home page" -o home/'],
  async run(context, options): Promise<CommandOutcome> {
    const { out, system } = context;
    const destination = destinationOf(system.cwd, options.output, options.format);
    const former = formerTexts(destination);
    out.progress("reading what is deployed");
    const all = await fetchRemote(context.api());
    const { remote, unmanaged } = selectRemote(all, options.monitor);
    const placeholders = createPlaceholders(system.env, [...former.values()].flatMap(secretNamesIn));
    const config = configOf(remote, placeholders);
    for (const value of placeholders.met()) if (value.length >= KNOWN_CHARACTERS_MIN) out.secrets.add(value);
    const project = projectIn(former) ?? (basename(resolve(destination.folder)) || "project").slice(0, 100);
    const { apiUrl, schemaLine } = where(context);
    const files = filesOf(destination.format, destination.fileName, {
      project,
      config,
      schemaLine,
      unmanaged: unmanaged.map((one) => ({ ...one, name: out.secrets.redact(one.name) })),
    });
    const { baseline, problems } = verifyPulled(files, {
      context,
      remote,
      secrets: placeholders.values(),
      format: destination.format,
      fileName: destination.fileName,
    });
    writePulled(destination, files, { cwd: system.cwd, isForced: options.force === true });
    // A config under another name is a look at the service: the state belongs to the config that is deployed.
    const isDeployed = findConfig(destination.folder)?.path === configPathOf(destination);
    if (problems.length === 0 && isDeployed)
      writeState({ folder: destination.folder, apiUrl, project }, baseline);
    warn(out, { unmanaged, problems, windows: all.windows.length });
    const written = [...files.keys()].map((path) => shownPath(system.cwd, resolve(destination.folder, path)));
    const data = {
      project,
      files: written,
      monitors: config.monitors.length,
      alerts: remote.alerts.length,
      channels: remote.channels.length,
      thirdPartyPatterns: remote.patterns.length,
      slos: remote.slos.length,
      alertPolicies: remote.policies.length,
      rotas: remote.rotas.length,
      incidentPolicy: (remote.incidentPolicy?.steps.length ?? 0) > 0,
      statusPages: config.statusPages.length,
      secrets: placeholders.variables(),
      unmanaged,
      problems,
      maintenanceWindowsNotWritten: all.windows.length,
    };
    return {
      data,
      print: (printed) => print(printed, data),
      ...(problems.length > 0 && { exit: "partial_failure" as const }),
    };
  },
});

function where(context: Context): { apiUrl: string; schemaLine: string } {
  const apiUrl = context.apiUrl();
  return { apiUrl, schemaLine: schemaComment(apiUrl) };
}

function warn(
  out: Output,
  { unmanaged, problems, windows }: { unmanaged: Unmanaged[]; problems: string[]; windows: number },
): void {
  for (const { name, id, reason } of unmanaged)
    out.warn(out.text(`"${name}" (${id}) is not written: ${reason}; deploys leave it alone`));
  if (windows > 0)
    out.warn(
      `${windows} maintenance window${windows === 1 ? " is" : "s are"} not written; a deploy with --prune would delete ${windows === 1 ? "it" : "them"}`,
    );
  if (problems.length > 0)
    out.warn(
      `the config does not say exactly what the service has:\n${problems.map((one) => `  ${out.text(one)}`).join("\n")}`,
    );
}

function print(
  out: Output,
  {
    files,
    secrets,
    monitors,
    alerts,
    channels,
    thirdPartyPatterns,
    slos,
    alertPolicies,
    rotas,
    incidentPolicy,
    statusPages,
  }: {
    files: string[];
    secrets: { name: string; isSet: boolean }[];
    monitors: number;
    alerts: number;
    channels: number;
    thirdPartyPatterns: number;
    slos: number;
    alertPolicies: number;
    rotas: number;
    incidentPolicy: boolean;
    statusPages: number;
  },
): void {
  for (const file of files) out.line(`wrote ${out.text(file)}`);
  out.line(
    [
      counted(monitors, "monitor"),
      counted(alerts, "alert rule"),
      counted(channels, "channel"),
      ...(thirdPartyPatterns > 0 ? [counted(thirdPartyPatterns, "third-party pattern")] : []),
      counted(slos, "SLO"),
      ...(alertPolicies > 0 ? [counted(alertPolicies, "alert policy", "alert policies")] : []),
      ...(rotas > 0 ? [counted(rotas, "rota")] : []),
      ...(incidentPolicy ? ["an incident policy"] : []),
      ...(statusPages > 0 ? [counted(statusPages, "status page")] : []),
    ].join(", "),
  );
  if (secrets.length === 0) return;
  out.line("Secrets are not written. The config takes them from these environment variables:");
  for (const { name, isSet } of secrets)
    out.line(`  ${out.text(name)}  ${isSet ? out.colors.green("set") : out.colors.yellow("not set here")}`);
}
