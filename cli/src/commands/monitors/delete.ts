/** Deletes a monitor, its results and its alert rules, after a question: `svc monitors delete`. */
import { getMonitor } from "../../resources/monitors/get-monitor.ts";
import { defineCommand } from "../../runtime/command.ts";
import { confirm } from "../../runtime/confirm.ts";

/** Defines `svc monitors delete`, which asks unless `--yes` is given. */
export const command = defineCommand<{ yes?: boolean }>({
  summary: "delete a monitor, its results and its alert rules",
  answers: async () => (await import("../../answers/deleted.ts")).deleted,
  arguments: [{ name: "<name-or-id>", description: "name or id of the monitor" }],
  options: [{ flags: "--yes", description: "don't ask" }],
  examples: ['monitors delete "Home page"', "monitors delete chk_... --yes"],
  async run(context, { yes }, [typed]) {
    const api = context.api();
    const { id, name } = await getMonitor(api, typed as string);
    await confirm(context, `Delete monitor ${name}, its results and alert rules`, yes);
    await api.deleteCheck(id);
    return { data: { deleted: true, id, name }, print: (out) => out.line(`Deleted ${out.text(name)}.`) };
  },
});
