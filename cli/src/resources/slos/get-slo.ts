import type { ApiClient, Slo } from "@svc/contract";
import { pickNamed } from "../../lookup/pick-named.ts";

/** Argument of commands about one SLO. */
export const SLO_ARGUMENT = { name: "<name-or-id>", description: "name or id of the SLO" };

/**
 * Returns the SLO with the id or name.
 * @throws CliError when there is none, or several
 */
export async function getSlo(api: ApiClient, typed: string): Promise<Slo> {
  return pickNamed("SLO", typed, await api.listSlos());
}
