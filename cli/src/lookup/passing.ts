import { CliError } from "../runtime/cli-error.ts";

/** Whether asking again later may help: the service is restarted, busy or away. A wrong key or address stays wrong. */
export function isPassing(error: unknown): boolean {
  const { status } = error as { status?: number };
  if (error instanceof CliError) return false;
  return status === undefined || status >= 500 || status === 429;
}
