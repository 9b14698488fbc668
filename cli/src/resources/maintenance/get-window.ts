import type { ApiClient, MaintenanceWindow } from "@svc/contract";
import { pickNamed } from "../../lookup/pick-named.ts";

/** Argument of commands about one maintenance window. */
export const WINDOW_ARGUMENT = { name: "<name-or-id>", description: "name or id of the window" };

/**
 * Returns the maintenance window with the id or name.
 * @throws CliError when there is none, or several
 */
export async function getWindow(api: ApiClient, typed: string): Promise<MaintenanceWindow> {
  return pickNamed("maintenance window", typed, await api.listMaintenanceWindows());
}
