/** Deletes a maintenance window, after a question: `svc maintenance delete`. One that holds ends now. */
import { getWindow, WINDOW_ARGUMENT } from "../../resources/maintenance/get-window.ts";
import { defineCommand } from "../../runtime/command.ts";
import { confirm } from "../../runtime/confirm.ts";

/** Defines `svc maintenance delete`, which asks unless `--yes` is given. */
export const command = defineCommand<{ yes?: boolean }>({
  summary: "delete a maintenance window; one that holds ends now",
  answers: async () => (await import("../../answers/deleted.ts")).deleted,
  arguments: [WINDOW_ARGUMENT],
  options: [{ flags: "--yes", description: "don't ask" }],
  examples: ['maintenance delete "Database upgrade" --yes'],
  async run(context, { yes }, [typed]) {
    const api = context.api();
    const { id, name, active } = await getWindow(api, typed as string);
    await confirm(
      context,
      `Delete maintenance window ${name}${active ? ", which holds now and ends with it" : ""}`,
      yes,
    );
    await api.deleteMaintenanceWindow(id);
    return { data: { deleted: true, id, name }, print: (out) => out.line(`Deleted ${out.text(name)}.`) };
  },
});
