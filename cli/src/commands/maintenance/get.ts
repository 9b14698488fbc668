/** Shows a maintenance window and when it holds next: `svc maintenance get`. */
import { printFields } from "../../output/print-fields.ts";
import { ago } from "../../output/times.ts";
import { getWindow, WINDOW_ARGUMENT } from "../../resources/maintenance/get-window.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc maintenance get`. Times are shown relative to the present. */
export const command = defineCommand({
  summary: "show a maintenance window",
  answers: async () => (await import("../../answers/maintenance.ts")).maintenanceOne,
  arguments: [WINDOW_ARGUMENT],
  examples: ['maintenance get "Weekly patching"', "maintenance get mw_... --json"],
  async run(context, _options, [typed]) {
    const window = await getWindow(context.api(), typed as string);
    const nowMs = context.system.nowMs();
    return {
      data: { maintenanceWindow: window },
      print: (out) =>
        printFields(out, [
          ["Name", window.name],
          ["Id", window.id],
          ["State", window.active ? "active" : "not active"],
          ["Mode", window.mode === "pause" ? "pause: checks stop" : "continue: alerts are silenced"],
          ["Monitors", window.checkIds === "all" ? "all" : window.checkIds.join(", ")],
          ["Starts", window.startsAt],
          ["Ends", window.endsAt],
          ["Repeats", window.recurrenceRule ?? "no"],
          ["Time zone", window.timezone],
          ["Next", ago(window.nextStartsAt, nowMs)],
        ]),
    };
  },
});
