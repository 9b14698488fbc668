/** Lists the team's secrets by their names: `svc secrets list`. */
import { ago } from "../../output/times.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc secrets list`. No answer holds a value. */
export const command = defineCommand({
  summary: "list the secrets that monitors can use; their values are never shown",
  answers: async () => (await import("../../answers/secrets.ts")).secretsList,
  examples: ["secrets list", "secrets list --json"],
  async run(context) {
    const secrets = await context.api().listSecrets();
    const nowMs = context.system.nowMs();
    return {
      data: { secrets },
      print: (out) => {
        if (secrets.length === 0) out.info("No secrets. Store one: svc secrets set NAME < file");
        else
          out.table(
            [
              { title: "NAME", value: ({ name }) => name },
              { title: "CHANGED", value: ({ updatedAt, createdAt }) => ago(updatedAt ?? createdAt, nowMs) },
              { title: "ID", value: ({ id }) => id },
            ],
            secrets,
          );
      },
    };
  },
});
