/** Lists the agents of a location with their load: `svc locations runners`. */
import type { Runner } from "@svc/contract";
import type { Colors } from "../../output/colors.ts";
import type { Column } from "../../output/table.ts";
import { ago, millisecondsText } from "../../output/times.ts";
import { getLocation, LOCATION_ARGUMENT } from "../../resources/locations/get-location.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc locations runners`; `data.runners` has more fields than the table. */
export const command = defineCommand({
  summary: "list the agents of a location and what they hold",
  answers: async () => (await import("../../answers/locations.ts")).locationsRunners,
  arguments: [LOCATION_ARGUMENT],
  examples: ["locations runners office", "locations runners loc_us_east --json"],
  async run(context, _options, [typed]) {
    const api = context.api();
    const { id } = await getLocation(api, typed as string);
    const runners = await api.listRunners(id);
    return {
      data: { runners },
      print: (out) => {
        if (runners.length === 0) out.info(`No agents. Run: svc locations install-command ${id}`);
        else out.table(columns(out.colors, context.system.nowMs()), runners);
      },
    };
  },
});

function columns({ green, yellow, red }: Colors, nowMs: number): Column<Runner>[] {
  const paints = { online: green, draining: yellow, offline: red };
  return [
    { title: "HOST", value: ({ hostname }) => hostname },
    { title: "STATUS", value: ({ status }) => status, paint: ({ status }) => paints[status] },
    { title: "VERSION", value: ({ version }) => version },
    { title: "HEARTBEAT", value: ({ lastHeartbeat }) => ago(lastHeartbeat, nowMs) },
    { title: "CHECKS", value: ({ assignedChecks }) => String(assignedChecks), align: "right" },
    { title: "RUNS", value: ({ activeRuns }) => String(activeRuns), align: "right" },
    { title: "BACKLOG", value: ({ backlog }) => String(backlog), align: "right" },
    { title: "LATE P99", value: ({ latenessP99Ms }) => millisecondsText(latenessP99Ms), align: "right" },
    { title: "ID", value: ({ id }) => id },
  ];
}
