/** Revokes a runner key, after a question: `svc locations keys delete`. Agents that use it are refused from then on. */
import { pickNamed } from "../../../lookup/pick-named.ts";
import { getPrivateLocation, PRIVATE_LOCATION_ARGUMENT } from "../../../resources/locations/get-location.ts";
import { defineCommand } from "../../../runtime/command.ts";
import { confirm } from "../../../runtime/confirm.ts";

/** Defines `svc locations keys delete`, which asks unless `--yes` is given. */
export const command = defineCommand<{ yes?: boolean }>({
  summary: "revoke a runner key; agents that use it are refused",
  answers: async () => (await import("../../../answers/deleted.ts")).deleted,
  arguments: [PRIVATE_LOCATION_ARGUMENT, { name: "<key>", description: "name or id of the key" }],
  options: [{ flags: "--yes", description: "don't ask" }],
  examples: ["locations keys delete office rack-1 --yes"],
  async run(context, { yes }, [typed, typedKey]) {
    const api = context.api();
    const location = await getPrivateLocation(api, typed as string);
    const { id, name } = pickNamed("runner key", typedKey as string, await api.listRunnerKeys(location.id));
    await confirm(context, `Revoke key ${name} of ${location.name}: agents that use it are refused`, yes);
    await api.deleteRunnerKey(location.id, id);
    return { data: { deleted: true, id, name }, print: (out) => out.line(`Revoked ${out.text(name)}.`) };
  },
});
