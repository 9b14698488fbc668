/** `svc validate`: checks the config without contacting the service. */

import { counted } from "@svc/contract";
import { readConfig } from "../config/read-config.ts";
import { defineCommand, type Outcome } from "../runtime/command.ts";

export const command = defineCommand({
  summary: "check the config without contacting the service; all problems at once",
  examples: ["validate", "validate --json"],
  async run(context): Promise<Outcome> {
    const { project, monitors, channels, slos, windows = [] } = readConfig(context);
    const data = {
      valid: true,
      project,
      monitors: monitors.length,
      alerts: monitors.reduce((count, { alerts }) => count + alerts.length, 0),
      channels: channels.length,
      slos: slos.length,
      maintenanceWindows: windows.length,
    };
    return {
      data,
      print: (out) =>
        out.line(
          [
            `${out.colors.green("valid:")} ${out.text(project)}`,
            counted(data.monitors, "monitor"),
            counted(data.alerts, "alert rule"),
            counted(data.channels, "channel"),
            counted(data.slos, "SLO"),
            counted(data.maintenanceWindows, "maintenance window"),
          ].join(", "),
        ),
    };
  },
});
