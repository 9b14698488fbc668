/**
 * Changes a monitor's name, frequency, locations or dependencies, after a question: `svc monitors edit`. Only fields that differ are
 * sent.
 */

import type { ApiClient, CheckSummary, UpdateCheck } from "@svc/contract";
import { durationText } from "@svc/contract";
import { maskedCheck } from "../../resources/monitors/describe.ts";
import { getMonitor } from "../../resources/monitors/get-monitor.ts";
import { generalError } from "../../runtime/cli-error.ts";
import { defineCommand } from "../../runtime/command.ts";
import { confirm } from "../../runtime/confirm.ts";
import { ifUnchanged } from "../../runtime/if-unchanged.ts";
import { frequency } from "../../runtime/option-values.ts";

interface Options {
  name?: string;
  frequency?: number;
  addLocation?: string[];
  removeLocation?: string[];
  addDependency?: string[];
  removeDependency?: string[];
  yes?: boolean;
}

/** Defines `svc monitors edit`. Sends nothing when no field differs. */
export const command = defineCommand<Options>({
  summary: "change a monitor's name, frequency, locations or dependencies",
  answers: async () => (await import("../../answers/monitors.ts")).monitorsEdit,
  arguments: [{ name: "<name-or-id>", description: "name or id of the monitor" }],
  options: [
    { flags: "--name <name>", description: "new name" },
    { flags: "--frequency <duration>", description: "how often: 30s, 5m, 1h", parse: frequency },
    { flags: "--add-location <id>", description: "run there, too; may be repeated", repeats: true },
    { flags: "--remove-location <id>", description: "run there no more; may be repeated", repeats: true },
    {
      flags: "--add-dependency <name-or-id>",
      description: "it can't work without this monitor; may be repeated",
      repeats: true,
    },
    {
      flags: "--remove-dependency <name-or-id>",
      description: "it depends on this one no more; may be repeated",
      repeats: true,
    },
    { flags: "--yes", description: "don't ask" },
  ],
  examples: [
    'monitors edit "Home page" --frequency 1m',
    "monitors edit chk_... --add-location loc_eu_west --yes",
    "monitors edit Shop --add-dependency Database",
  ],
  async run(context, options, [typed]) {
    const api = context.api();
    const { id } = await getMonitor(api, typed as string);
    // Lists are written as a whole: an entry that somebody else adds in between must not be lost.
    const { check: before, etag } = await api.readCheck(id);
    const change = { ...changeOf(before, options), ...(await dependenciesOf(api, before, options)) };
    const words = Object.entries(change).map(([field, value]) => describe(before, field, value));
    if (words.length === 0)
      return {
        data: { monitor: maskedCheck(before), changed: [] },
        print: (out) => out.line("Nothing to change."),
      };
    await confirm(context, `Change ${before.name}: ${words.join("; ")}`, options.yes);
    const isOfLists = change.locations !== undefined || change.dependsOn !== undefined;
    const monitor = await ifUnchanged(`the monitor "${before.name}"`, () =>
      api.updateCheck(id, change, isOfLists ? etag : undefined),
    );
    return {
      data: { monitor: maskedCheck(monitor), changed: Object.keys(change) },
      print: (out) => out.line(`Changed ${out.text(monitor.name)}: ${out.text(words.join("; "))}.`),
    };
  },
});

/**
 * Returns the fields that differ.
 * @throws CliError when no change was given, or a location can't be removed
 */
function changeOf(check: CheckSummary, options: Options): UpdateCheck {
  const { name, frequency: frequencySeconds, addLocation = [], removeLocation = [] } = options;
  const { addDependency = [], removeDependency = [] } = options;
  const lists = [addLocation, removeLocation, addDependency, removeDependency];
  if (name === undefined && frequencySeconds === undefined && lists.flat().length === 0)
    throw generalError("nothing to change was given", "Run: svc monitors edit --help");
  for (const id of removeLocation)
    if (!check.locations.includes(id)) throw generalError(`${check.name} does not run in ${id}`);
  const locations = [...new Set([...check.locations, ...addLocation])].filter(
    (id) => !removeLocation.includes(id),
  );
  if (locations.length === 0) throw generalError("a monitor needs at least one location");
  return {
    ...(name !== undefined && name !== check.name ? { name } : {}),
    ...(frequencySeconds !== undefined && frequencySeconds !== check.frequencySeconds
      ? { frequencySeconds }
      : {}),
    ...(locations.join() === check.locations.join() ? {} : { locations }),
  };
}

/**
 * Returns the monitors that it depends on, when these differ.
 * @throws CliError for a monitor that there is not, or that it does not depend on
 */
async function dependenciesOf(
  api: ApiClient,
  check: CheckSummary,
  { addDependency = [], removeDependency = [] }: Options,
): Promise<Pick<UpdateCheck, "dependsOn">> {
  const former = check.dependsOn ?? [];
  const idsOf = (names: readonly string[]) =>
    Promise.all(names.map(async (name) => (await getMonitor(api, name)).id));
  const [added, removed] = [await idsOf(addDependency), await idsOf(removeDependency)];
  for (const [i, id] of removed.entries())
    if (!former.includes(id)) throw generalError(`${check.name} does not depend on ${removeDependency[i]}`);
  const dependsOn = [...new Set([...former, ...added])].filter((id) => !removed.includes(id));
  return dependsOn.join() === former.join() ? {} : { dependsOn };
}

function describe(before: CheckSummary, field: string, value: unknown): string {
  if (field === "frequencySeconds")
    return `frequency ${durationText(before.frequencySeconds)} -> ${durationText(value as number)}`;
  if (field === "locations")
    return `locations ${before.locations.join(", ")} -> ${(value as string[]).join(", ")}`;
  if (field === "dependsOn")
    return `depends on ${before.dependsOn?.join(", ") || "none"} -> ${(value as string[]).join(", ") || "none"}`;
  return `${field} ${before.name} -> ${String(value)}`;
}
