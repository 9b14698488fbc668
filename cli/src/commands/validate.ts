/** Checks the config without contacting the service: `svc validate`. */

import { problemLine } from "@svc/as-code/config";
import { counted } from "@svc/contract";
import { readConfig } from "../config/read-config.ts";
import { type CommandOutcome, defineCommand } from "../runtime/command.ts";

/** Defines `svc validate`. Needs no credentials. */
export const command = defineCommand({
  summary: "check the config without contacting the service; all problems at once",
  answers: async () => (await import("../answers/config.ts")).validate,
  examples: ["validate", "validate --json"],
  async run(context): Promise<CommandOutcome> {
    const {
      project,
      monitors,
      channels,
      patterns,
      slos,
      policies,
      rotas,
      incidentPolicy,
      statusPages,
      windows = [],
      notes,
    } = readConfig(context);
    const data = {
      valid: true,
      project,
      monitors: monitors.length,
      alerts: monitors.reduce((count, { alerts }) => count + alerts.length, 0),
      channels: channels.length,
      thirdPartyPatterns: patterns.length,
      slos: slos.length,
      alertPolicies: policies.length,
      rotas: rotas.length,
      incidentPolicy: incidentPolicy !== undefined,
      statusPages: statusPages.length,
      maintenanceWindows: windows.length,
      notes,
    };
    for (const note of notes) context.out.info(`note: ${context.out.text(problemLine(note))}`);
    return {
      data,
      print: (out) =>
        out.line(
          [
            `${out.colors.green("valid:")} ${out.text(project)}`,
            counted(data.monitors, "monitor"),
            counted(data.alerts, "alert rule"),
            counted(data.channels, "channel"),
            ...(data.thirdPartyPatterns > 0 ? [counted(data.thirdPartyPatterns, "third-party pattern")] : []),
            counted(data.slos, "SLO"),
            ...(data.alertPolicies > 0
              ? [counted(data.alertPolicies, "alert policy", "alert policies")]
              : []),
            ...(data.rotas > 0 ? [counted(data.rotas, "rota")] : []),
            ...(data.incidentPolicy ? ["an incident policy"] : []),
            ...(data.statusPages > 0 ? [counted(data.statusPages, "status page")] : []),
            counted(data.maintenanceWindows, "maintenance window"),
          ].join(", "),
        ),
    };
  },
});
