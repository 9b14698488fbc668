/** Creates a maintenance window, once or recurring: `svc maintenance create`. */
import { MAINTENANCE_MODES, type MaintenanceMode } from "@svc/contract";
import { checkIdsOf, instant } from "../../resources/maintenance/window-options.ts";
import { generalError } from "../../runtime/cli-error.ts";
import { defineCommand } from "../../runtime/command.ts";
import { duration } from "../../runtime/option-values.ts";

interface Options {
  starts?: string;
  ends?: string;
  for?: number;
  monitor?: string[];
  all?: boolean;
  mode: MaintenanceMode;
  repeat?: string;
  timezone?: string;
}

/** Defines `svc maintenance create`. Needs an end, by `--ends` or `--for`. */
export const command = defineCommand<Options>({
  summary: "create a maintenance window",
  answers: async () => (await import("../../answers/maintenance.ts")).maintenanceOne,
  arguments: [{ name: "<name>", description: "its name" }],
  options: [
    { flags: "--monitor <name-or-id>", description: "for this monitor; may be repeated", repeats: true },
    { flags: "--all", description: "for all monitors, later ones too" },
    { flags: "--starts <time>", description: "ISO 8601 (default: now)", parse: instant("--starts") },
    { flags: "--ends <time>", description: "ISO 8601", parse: instant("--ends") },
    {
      flags: "--for <duration>",
      description: "instead of --ends, e.g. 30m, 2h",
      parse: duration("--for", { min: "1m", max: "365d", units: "smhd" }),
    },
    {
      flags: "--mode <mode>",
      description: "checks stop, or continue with their alerts silenced",
      choices: MAINTENANCE_MODES,
      default: "pause",
    },
    { flags: "--repeat <rule>", description: "RFC 5545 RRULE, e.g. FREQ=WEEKLY;BYDAY=SU" },
    { flags: "--timezone <zone>", description: "IANA time zone of times without an offset (default: UTC)" },
  ],
  examples: [
    'maintenance create "Database upgrade" --monitor Checkout --for 2h',
    'maintenance create Patching --all --starts 2026-12-06T02:00 --ends 2026-12-06T04:00 --repeat "FREQ=WEEKLY;BYDAY=SU" --timezone Europe/Berlin',
  ],
  async run(context, options, [name]) {
    const { startsAt, endsAt } = boundsOf(options, context.system.nowMs());
    if ((options.monitor === undefined) === !options.all)
      throw generalError("give --monitor, once or several times, or --all");
    const api = context.api();
    const window = await api.createMaintenanceWindow({
      name: name as string,
      mode: options.mode,
      startsAt,
      endsAt,
      checkIds: options.monitor ? await checkIdsOf(api, options.monitor) : "all",
      ...(options.repeat === undefined ? {} : { recurring: true, recurrenceRule: options.repeat }),
      ...(options.timezone === undefined ? {} : { timezone: options.timezone }),
    });
    return {
      data: { maintenanceWindow: window },
      print: (out) =>
        out.line(
          `Created ${out.text(window.name)} (${window.id}), from ${window.startsAt} to ${window.endsAt}.`,
        ),
    };
  },
});

/**
 * Returns start and end of the window.
 * @throws CliError unless exactly one of --ends and --for was given
 */
function boundsOf(
  { starts, ends, for: seconds }: Options,
  nowMs: number,
): { startsAt: string; endsAt: string } {
  if ((ends === undefined) === (seconds === undefined)) throw generalError("give --ends or --for");
  const startsAt = starts ?? new Date(nowMs).toISOString();
  if (ends !== undefined) return { startsAt, endsAt: ends };
  const isLocal = !/(Z|[+-]\d{2}:?\d{2})$/.test(startsAt);
  // Local time plus a duration is local time again; the service turns both into instants of the time zone.
  const end = new Date(Date.parse(isLocal ? `${startsAt}Z` : startsAt) + (seconds ?? 0) * 1000).toISOString();
  return { startsAt, endsAt: isLocal ? end.replace("Z", "") : end };
}
