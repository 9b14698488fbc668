/** Asking before something is changed that can't be taken back. */
import { generalError } from "./cli-error.ts";
import type { Context } from "./context.ts";

/**
 * Returns when the user said yes, by `--yes` or when asked.
 * @param question what would be done, without question mark: `Delete monitor "Home page" and its results`
 * @throws CliError when they said no, or when nobody can be asked
 */
export async function confirm(context: Context, question: string, isYes: boolean | undefined): Promise<void> {
  if (isYes) return;
  const { out, system } = context;
  if (!context.isInteractive || !system.ask)
    throw generalError(
      `${out.text(question)}? Nobody can be asked here`,
      "Give --yes to go ahead without asking",
    );
  const answer = await system.ask(`${out.text(question)}? [y/N] `, context.signal);
  if (!/^y(es)?$/i.test(answer.trim())) throw generalError("nothing was changed");
}
