/** Lists the maintenance windows and when each holds next: `svc maintenance list`. */
import type { MaintenanceWindow } from "@svc/contract";
import type { Column } from "../../output/table.ts";
import { ago } from "../../output/times.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc maintenance list`, which answers all windows at once. */
export const command = defineCommand({
  summary: "list the maintenance windows",
  answers: async () => (await import("../../answers/maintenance.ts")).maintenanceList,
  examples: ["maintenance list", "maintenance list --json"],
  async run(context) {
    const maintenanceWindows = await context.api().listMaintenanceWindows();
    return {
      data: { maintenanceWindows },
      print: (out) => {
        if (maintenanceWindows.length === 0) out.info("No maintenance windows.");
        else out.table(columns(context.system.nowMs()), maintenanceWindows);
      },
    };
  },
});

function columns(nowMs: number): Column<MaintenanceWindow>[] {
  return [
    { title: "NAME", value: ({ name }) => name },
    { title: "STATE", value: ({ active }) => (active ? "active" : "-") },
    { title: "MODE", value: ({ mode }) => mode },
    { title: "MONITORS", value: ({ checkIds }) => (checkIds === "all" ? "all" : String(checkIds.length)) },
    { title: "NEXT", value: ({ nextStartsAt }) => ago(nextStartsAt, nowMs) },
    { title: "REPEATS", value: ({ recurrenceRule }) => recurrenceRule ?? "-" },
    { title: "ID", value: ({ id }) => id },
  ];
}
