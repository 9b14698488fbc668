/** Lists the locations that monitors can run in, with the health of their runners: `svc locations list`. */
import type { Location } from "@svc/contract";
import type { Colors, Paint } from "../../output/colors.ts";
import { ago } from "../../output/times.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc locations list`. Deprecated and retired locations are listed with `--all` only. */
export const command = defineCommand<{ all?: boolean; type?: Location["type"] }>({
  summary: "list the locations that monitors can run in",
  answers: async () => (await import("../../answers/locations.ts")).locationsList,
  options: [
    { flags: "--type <type>", description: "only these", choices: ["hosted", "private"] },
    { flags: "--all", description: "also deprecated and retired ones" },
  ],
  examples: ["locations list", "locations list --type private --json"],
  async run(context, { all = false, type }) {
    const locations = (await context.api().listLocations({ includeDeprecated: all })).filter(
      (location) => type === undefined || location.type === type,
    );
    const nowMs = context.system.nowMs();
    return {
      data: { locations },
      print: (out) => {
        if (locations.length === 0) out.info("No such locations.");
        else
          out.table(
            [
              { title: "ID", value: ({ id }) => id },
              { title: "NAME", value: ({ displayName }) => displayName },
              { title: "TYPE", value: ({ type }) => type },
              { title: "STATUS", value: ({ status }) => status },
              {
                title: "RUNNERS",
                value: ({ health }) => health,
                paint: ({ health }) => paintOfHealth(out.colors, health),
              },
              { title: "HEARTBEAT", value: ({ lastHeartbeat }) => ago(lastHeartbeat, nowMs) },
            ],
            locations,
          );
      },
    };
  },
});

function paintOfHealth(colors: Colors, health: Location["health"]): Paint {
  if (health === "active") return colors.green;
  return health === "degraded" ? colors.yellow : colors.red;
}
