import type { AlertPolicy, ApiClient } from "@svc/contract";
import { pickNamed } from "../../lookup/pick-named.ts";

/** Argument of commands about one alert policy. */
export const POLICY_ARGUMENT = { name: "<name-or-id>", description: "name or id of the alert policy" };

/**
 * Returns the alert policy with the id or name.
 * @throws CliError when there is none
 */
export async function getPolicy(api: ApiClient, typed: string): Promise<AlertPolicy> {
  return pickNamed("alert policy", typed, await api.listAlertPolicies());
}
