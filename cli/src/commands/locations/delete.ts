/** Deletes a private location and its runner keys, after a question: `svc locations delete`. */
import { getPrivateLocation, PRIVATE_LOCATION_ARGUMENT } from "../../resources/locations/get-location.ts";
import { defineCommand } from "../../runtime/command.ts";
import { confirm } from "../../runtime/confirm.ts";

/** Defines `svc locations delete`. Agents with a key of the location are refused from then on. */
export const command = defineCommand<{ yes?: boolean }>({
  summary: "delete a private location and its runner keys",
  answers: async () => (await import("../../answers/deleted.ts")).deleted,
  arguments: [PRIVATE_LOCATION_ARGUMENT],
  options: [{ flags: "--yes", description: "don't ask" }],
  examples: ["locations delete office", "locations delete loc_... --yes"],
  async run(context, { yes }, [typed]) {
    const api = context.api();
    const { id, name } = await getPrivateLocation(api, typed as string);
    await confirm(context, `Delete location ${name} and its runner keys`, yes);
    await api.deleteLocation(id);
    return { data: { deleted: true, id, name }, print: (out) => out.line(`Deleted ${out.text(name)}.`) };
  },
});
