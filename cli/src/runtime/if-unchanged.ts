/** Changes that are made from what was read before: none is lost that somebody else made in between. */
import { ApiError } from "@svc/contract";
import { CliError } from "./cli-error.ts";

/**
 * Sends a change with the version of the record that it was made from, and returns the answer.
 * @param thing the record in words: `the rota "On call"`
 * @throws CliError that says what to do when the record has another version by now; any other error of `send`
 */
export async function ifUnchanged<T>(thing: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 412) throw error;
    throw new CliError("general_error", `somebody changed ${thing} meanwhile, so nothing was written`, {
      hint: "Run the command again: it begins with what is there now",
      details: { httpStatus: error.status },
      cause: error,
    });
  }
}
