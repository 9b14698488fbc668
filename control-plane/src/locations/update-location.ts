import type { Location, UpdateLocation } from "@svc/contract";
import type { Services } from "../services.ts";
import { refuseTakenName } from "./create-location.ts";
import { describeLocation, lockPrivateLocation } from "./get-location.ts";
import { patchLocation } from "./store.ts";

/** Changes what is given; null clears a coordinate. @throws DomainError not_found, forbidden, conflict */
export async function updateLocation(
  services: Services,
  teamId: string,
  id: string,
  body: UpdateLocation,
): Promise<Location> {
  const { name, displayName, latitude, longitude } = body;
  const row = await refuseTakenName(name, () =>
    services.knex.transaction(async (trx) => {
      const { key } = await lockPrivateLocation(trx, teamId, id);
      return patchLocation(trx, key, {
        name,
        displayName,
        latitude,
        longitude,
        updatedAt: new Date(services.clock.nowMs()).toISOString(),
      });
    }),
  );
  return describeLocation(services, teamId, row);
}
