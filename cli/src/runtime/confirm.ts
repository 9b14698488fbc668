import { generalError } from "./cli-error.ts";
import type { Context } from "./context.ts";

/**
 * Asks before something is done that can't be taken back. Resolves when the user agreed, by `--yes` or at the prompt.
 * @param question the action, without question mark: `Delete monitor "Home page" and its results`
 * @throws CliError when the user declined, or when nobody can be asked
 */
export async function confirm(
  context: Context,
  question: string,
  hasAgreed: boolean | undefined,
): Promise<void> {
  if (hasAgreed) return;
  const { out, system } = context;
  if (!context.isInteractive || !system.ask)
    throw generalError(
      `${out.text(question)}? Nobody can be asked here`,
      "Give --yes to go ahead without asking",
    );
  const answer = await system.ask(`${out.text(question)}? [y/N] `, context.signal);
  if (!/^y(es)?$/i.test(answer.trim())) throw generalError("nothing was changed");
}
