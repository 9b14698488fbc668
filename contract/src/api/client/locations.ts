/** Client methods of locations, their runners and runner keys. */
import type { Location, Runner, RunnerKey, UpdateLocation } from "../../resources/location.ts";
import type { locationRoutes } from "../locations.ts";
import type { NewLocation } from "./new-resources.ts";
import { readAll } from "./read-all.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof locationRoutes;

/** A runner key as the answer to its creation shows it, the only answer with the secret. */
type CreatedRunnerKey = RunnerKey & { secret: string };

/** Returns the client methods of locations. */
export const locationMethods = (call: CallRoute) => ({
  listLocations: (options: { includeDeprecated?: boolean } = {}): Promise<Location[]> =>
    readAll(
      (page) =>
        call<Routes["list"]>("GET", "/api/locations", {
          query: { include_deprecated: options.includeDeprecated, ...page },
        }),
      (answer) => answer.locations,
    ),
  async createLocation(location: NewLocation): Promise<Location> {
    return (await call<Routes["create"]>("POST", "/api/locations", { body: location })).location;
  },
  async updateLocation(id: string, change: UpdateLocation): Promise<Location> {
    const input = { params: { id }, body: change };
    return (await call<Routes["update"]>("PUT", "/api/locations/:id", input)).location;
  },
  deleteLocation: (id: string) => call<Routes["delete"]>("DELETE", "/api/locations/:id", { params: { id } }),
  async listRunners(id: string): Promise<Runner[]> {
    return (await call<Routes["listRunners"]>("GET", "/api/locations/:id/runners", { params: { id } }))
      .runners;
  },
  /** Creates a key; only this answer shows its `secret`. */
  async createRunnerKey(id: string, key: { name?: string } = {}): Promise<CreatedRunnerKey> {
    const input = { params: { id }, body: key };
    return (await call<Routes["createKey"]>("POST", "/api/locations/:id/keys", input))
      .key as CreatedRunnerKey;
  },
  async listRunnerKeys(id: string): Promise<RunnerKey[]> {
    return (await call<Routes["listKeys"]>("GET", "/api/locations/:id/keys", { params: { id } })).keys;
  },
  deleteRunnerKey: (id: string, keyId: string) =>
    call<Routes["deleteKey"]>("DELETE", "/api/locations/:id/keys/:keyId", { params: { id, keyId } }),
});
