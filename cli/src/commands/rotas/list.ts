/** Lists the rotas and who is on duty: `svc rotas list`. */
import { handoverText, onDutyText } from "../../resources/rotas/describe.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc rotas list`, which answers all rotas at once. */
export const command = defineCommand({
  summary: "list the rotas, with who is on duty now",
  answers: async () => (await import("../../answers/rotas.ts")).rotasList,
  examples: ["rotas list", "rotas list --json"],
  async run(context) {
    const rotas = await context.api().listRotas();
    return {
      data: { rotas },
      print: (out) => {
        if (rotas.length === 0) out.info("No rotas.");
        else
          out.table(
            [
              { title: "NAME", value: ({ name }) => name },
              { title: "ON DUTY", value: onDutyText },
              { title: "HANDOVER", value: ({ handover }) => handoverText(handover) },
              { title: "MEMBERS", value: ({ members }) => String(members.length), align: "right" },
              { title: "ID", value: ({ id }) => id },
            ],
            rotas,
          );
      },
    };
  },
});
