import type { ApiClient, Location } from "@svc/contract";
import { pickNamed } from "../../lookup/pick-named.ts";
import { generalError } from "../../runtime/cli-error.ts";

export const LOCATION_ARGUMENT = { name: "<location>", description: "name or id of the location" };
export const PRIVATE_LOCATION_ARGUMENT = {
  name: "<location>",
  description: "name or id of the private location",
};

/** The location with the id or name, a retired one too. @throws CliError when there is none or several */
export async function findLocation(api: ApiClient, typed: string): Promise<Location> {
  return pickNamed("location", typed, await api.listLocations({ includeDeprecated: true }));
}

/** The same, and it is the team's own. @throws CliError also for a hosted one */
export async function findPrivateLocation(api: ApiClient, typed: string): Promise<Location> {
  const location = await findLocation(api, typed);
  if (location.type !== "private")
    throw generalError(`${location.name} is a hosted location; this is for private ones`);
  return location;
}
