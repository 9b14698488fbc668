import type { ApiClient, Check } from "@svc/contract";
import { pickNamed } from "../../lookup/pick-named.ts";

/**
 * Returns the monitor with the id or name.
 * @throws CliError when there is none, or several
 */
export async function getMonitor(api: ApiClient, typed: string): Promise<Check> {
  return pickNamed("monitor", typed, await api.listChecks());
}
