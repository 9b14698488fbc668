import type { ApiClient, Location } from "@svc/contract";
import { pickNamed } from "../../lookup/pick-named.ts";
import { generalError } from "../../runtime/cli-error.ts";

/** Argument of commands about one location of any type. */
export const LOCATION_ARGUMENT = { name: "<location>", description: "name or id of the location" };
/** Argument of commands about one private location. */
export const PRIVATE_LOCATION_ARGUMENT = {
  name: "<location>",
  description: "name or id of the private location",
};

/**
 * Returns the location with the id or name, also a retired one.
 * @throws CliError when there is none, or several
 */
export async function getLocation(api: ApiClient, typed: string): Promise<Location> {
  return pickNamed("location", typed, await api.listLocations({ includeDeprecated: true }));
}

/**
 * Returns the team's own location with the id or name.
 * @throws CliError when there is none, or several, or the location is a hosted one
 */
export async function getPrivateLocation(api: ApiClient, typed: string): Promise<Location> {
  const location = await getLocation(api, typed);
  if (location.type !== "private")
    throw generalError(`${location.name} is a hosted location; this is for private ones`);
  return location;
}
