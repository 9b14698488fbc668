/** Values of the flags by which commands write maintenance windows. */
import { type ApiClient, windowInstantSchema } from "@svc/contract";
import { pickNamed } from "../../lookup/pick-named.ts";
import { generalError } from "../../runtime/cli-error.ts";

/**
 * Returns the ids of monitors by their names or ids.
 * @throws CliError when there is no such monitor
 */
export async function checkIdsOf(api: ApiClient, typed: readonly string[]): Promise<string[]> {
  const checks = await api.listCheckSummaries();
  return [...new Set(typed.map((one) => pickNamed("monitor", one, checks).id))];
}

/** Returns a parser of ISO 8601 dates with a time. */
export function instant(flag: string): (text: string) => string {
  return (text) => {
    if (windowInstantSchema.safeParse(text).success) return text;
    throw generalError(`${flag} is "${text}"; expected an ISO 8601 date and time, e.g. 2026-12-06T02:00:00Z`);
  };
}
