/** Stores a secret, or gives it another value; the value comes from stdin: `svc secrets set NAME`. */
import { isVaultName } from "@svc/contract";
import { generalError } from "../../runtime/cli-error.ts";
import { defineCommand } from "../../runtime/command.ts";
import type { Context } from "../../runtime/context.ts";

/** Defines `svc secrets set`. The value never comes from an argument, which other users of the machine could read. */
export const command = defineCommand({
  summary: "store a secret, or give it another value; the value is read from stdin",
  answers: async () => (await import("../../answers/secrets.ts")).secretsSet,
  arguments: [{ name: "<name>", description: "name by which monitors use it: {{vault.NAME}}" }],
  examples: ["secrets set API_TOKEN < token.txt", "secrets set API_TOKEN --json < token.txt"],
  async run(context, _options, [name = ""]) {
    if (!isVaultName(name))
      throw generalError(
        `"${name}" can't be the name of a secret`,
        "A name begins with a letter or _, continues with letters, digits and _, and has at most 64 characters.",
      );
    const value = await readValue(context);
    const api = context.api({ outlivesInterruption: true });
    const known = (await api.listSecrets()).find((secret) => secret.name === name);
    const secret = known ? await api.updateSecret(known.id, value) : await api.createSecret({ name, value });
    return {
      data: { secret, created: !known },
      print: (out) =>
        out.line(known ? `Changed ${name}.` : `Stored ${name}; monitors use it as {{vault.${name}}}.`),
    };
  },
});

/** Returns the text of stdin without the line break at its end. It is never printed. */
async function readValue({ system, out, signal }: Context): Promise<string> {
  if (system.stdinIsTty || !system.readStdin)
    throw generalError("the value is read from stdin", "For example: svc secrets set NAME < file");
  const value = (await system.readStdin(signal)).replace(/\r?\n$/, "");
  if (value === "") throw generalError("stdin is empty: a secret has at least one character");
  out.secrets.add(value);
  return value;
}
