import type { ApiClient, CheckSummary } from "@svc/contract";
import { pickNamed } from "../../lookup/pick-named.ts";

/**
 * Returns the monitor with the id or name, without its configuration.
 * @throws CliError when there is none, or several
 */
export async function getMonitor(api: ApiClient, typed: string): Promise<CheckSummary> {
  return pickNamed("monitor", typed, await api.listCheckSummaries());
}
