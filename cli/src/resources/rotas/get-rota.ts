import type { ApiClient, Rota } from "@svc/contract";
import { pickNamed } from "../../lookup/pick-named.ts";

/** Argument of commands about one rota. */
export const ROTA_ARGUMENT = { name: "<name-or-id>", description: "name or id of the rota" };

/**
 * Returns the rota with the id or name.
 * @throws CliError when there is none
 */
export async function getRota(api: ApiClient, typed: string): Promise<Rota> {
  return pickNamed("rota", typed, await api.listRotas());
}
