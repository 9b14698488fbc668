/** Deletes an API spec that no assertion uses, after a question: `svc specs delete`. */
import { getSpec, SPEC_ARGUMENT } from "../../resources/specs/get-spec.ts";
import { defineCommand } from "../../runtime/command.ts";
import { confirm } from "../../runtime/confirm.ts";

/** Defines `svc specs delete`. A spec that an assertion uses is a conflict. */
export const command = defineCommand<{ yes?: boolean }>({
  summary: "delete an API spec that no assertion uses",
  answers: async () => (await import("../../answers/deleted.ts")).deleted,
  arguments: [SPEC_ARGUMENT],
  options: [{ flags: "--yes", description: "don't ask" }],
  examples: ['specs delete "Shop API" --yes'],
  async run(context, { yes }, [typed]) {
    const api = context.api();
    const { id, name } = await getSpec(api, typed as string);
    await confirm(context, `Delete API spec ${name}`, yes);
    await api.deleteSpec(id);
    return { data: { deleted: true, id, name }, print: (out) => out.line(`Deleted ${out.text(name)}.`) };
  },
});
