/** Changes a maintenance window, after a question: `svc maintenance edit`. */
import { MAINTENANCE_MODES, type MaintenanceMode, type UpdateMaintenanceWindow } from "@svc/contract";
import { FILE_OPTION, readFragment } from "../../fragments/read-fragment.ts";
import { getWindow, WINDOW_ARGUMENT } from "../../resources/maintenance/get-window.ts";
import { checkIdsOf, instant } from "../../resources/maintenance/window-options.ts";
import { generalError } from "../../runtime/cli-error.ts";
import { defineCommand } from "../../runtime/command.ts";
import { editedOutcome } from "../../runtime/edited-outcome.ts";

interface Options {
  name?: string;
  monitor?: string[];
  all?: boolean;
  starts?: string;
  ends?: string;
  mode?: MaintenanceMode;
  repeat?: string;
  once?: boolean;
  timezone?: string;
  file?: string;
  yes?: boolean;
}

/** Fields of a window in svc.config.yaml. */
const FIELDS = [
  "name",
  "mode",
  "checks",
  "startsAt",
  "endsAt",
  "recurring",
  "recurrenceRule",
  "timezone",
] as const;

/** Defines `svc maintenance edit`. Fields that are not given stay as they are. */
export const command = defineCommand<Options>({
  summary: "change a maintenance window; monitors that are given replace the former ones",
  answers: async () => (await import("../../answers/maintenance.ts")).maintenanceEdit,
  arguments: [WINDOW_ARGUMENT],
  options: [
    { flags: "--name <name>", description: "new name" },
    { flags: "--monitor <name-or-id>", description: "for this monitor; may be repeated", repeats: true },
    { flags: "--all", description: "for all monitors, later ones too" },
    { flags: "--starts <time>", description: "ISO 8601", parse: instant("--starts") },
    { flags: "--ends <time>", description: "ISO 8601", parse: instant("--ends") },
    {
      flags: "--mode <mode>",
      description: "checks stop, or continue with their alerts silenced",
      choices: MAINTENANCE_MODES,
    },
    { flags: "--repeat <rule>", description: "RFC 5545 RRULE, e.g. FREQ=WEEKLY;BYDAY=SU" },
    { flags: "--once", description: "no longer repeat it" },
    { flags: "--timezone <zone>", description: "IANA time zone of times without an offset" },
    FILE_OPTION,
    { flags: "--yes", description: "don't ask" },
  ],
  examples: [
    'maintenance edit "Database upgrade" --ends 2026-12-06T06:00:00Z --yes',
    "maintenance edit Patching --all",
  ],
  async run(context, options, [typed]) {
    if (options.all && options.monitor) throw generalError("--all and --monitor can't be combined");
    if (options.once && options.repeat) throw generalError("--once and --repeat can't be combined");
    const api = context.api();
    const before = await getWindow(api, typed as string);
    const { checks, ...fields } = readFragment(context, options.file, FIELDS);
    const covered = options.all ? "all" : (options.monitor ?? checks);
    const { name, mode, starts, ends, repeat, timezone } = options;
    const change = {
      ...fields,
      ...given({ name, mode, startsAt: starts, endsAt: ends, timezone }),
      ...(repeat === undefined ? {} : { recurring: true, recurrenceRule: repeat }),
      ...(options.once ? { recurring: false, recurrenceRule: null } : {}),
      ...(covered === undefined
        ? {}
        : { checkIds: covered === "all" ? "all" : await checkIdsOf(api, covered as string[]) }),
    };
    return await editedOutcome(context, {
      kind: "maintenance window",
      key: "maintenanceWindow",
      before,
      change,
      hasAgreed: options.yes,
      send: () => api.updateMaintenanceWindow(before.id, change as UpdateMaintenanceWindow),
    });
  },
});

function given(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
