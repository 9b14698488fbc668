import type { Location, TeamId, UpdateLocation } from "@svc/contract";
import { changedFields } from "../../accounts/change-log/changed-fields.ts";
import { recordChange } from "../../accounts/change-log/store.ts";
import type { Services } from "../../platform/services.ts";
import { type Author, OPERATOR } from "../../platform/team-context.ts";
import { refuseTakenName } from "./create-location.ts";
import { describeLocation, lockPrivateLocation } from "./get-location.ts";
import type { LocationModel } from "./row.ts";
import { patchLocation } from "./store.ts";

/** Changes what is given; null clears a coordinate. @throws DomainError not_found, forbidden, conflict */
export async function updateLocation(
  services: Services,
  teamId: TeamId,
  id: string,
  body: UpdateLocation,
  author: Author = OPERATOR,
): Promise<Location> {
  const { name, displayName, latitude, longitude } = body;
  const row = await refuseTakenName(name, () =>
    services.knex.transaction(async (trx) => {
      const current = await lockPrivateLocation(trx, teamId, id);
      const nowMs = services.clock.nowMs();
      const updated = await patchLocation(trx, current.key, {
        name,
        displayName,
        latitude,
        longitude,
        updatedAt: new Date(nowMs).toISOString(),
      });
      await recordChange(trx, {
        ...{ teamId, author, action: "updated", type: "location", atMs: nowMs },
        ...{ resourceId: updated.id, name: updated.name },
        changedFields: changedFields(describe(current), describe(updated)),
      });
      return updated;
    }),
  );
  return describeLocation(services, teamId, row);
}

/** What of a location a person set. */
function describe({ name, displayName, latitude, longitude }: LocationModel) {
  return { name, displayName, latitude, longitude };
}
