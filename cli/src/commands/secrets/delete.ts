/** Deletes a secret that no monitor uses, after a question: `svc secrets delete NAME`. */
import { pickNamed } from "../../lookup/pick-named.ts";
import { defineCommand } from "../../runtime/command.ts";
import { confirm } from "../../runtime/confirm.ts";

/** Defines `svc secrets delete`. A secret that a monitor uses is a conflict. */
export const command = defineCommand<{ yes?: boolean }>({
  summary: "delete a secret that no monitor uses",
  answers: async () => (await import("../../answers/deleted.ts")).deleted,
  arguments: [{ name: "<name>", description: "name or id of the secret" }],
  options: [{ flags: "--yes", description: "don't ask" }],
  examples: ["secrets delete API_TOKEN --yes"],
  async run(context, { yes }, [typed]) {
    const api = context.api();
    const { id, name } = pickNamed("secret", typed as string, await api.listSecrets());
    await confirm(context, `Delete secret ${name}`, yes);
    await api.deleteSecret(id);
    return { data: { deleted: true, id, name }, print: (out) => out.line(`Deleted ${out.text(name)}.`) };
  },
});
