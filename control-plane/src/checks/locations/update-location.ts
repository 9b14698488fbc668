import type { Location, LocationId, UpdateLocation } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { changedFields } from "../../accounts/change-log/changed-fields.ts";
import { conflictWhenInUse } from "../../platform/db/conflict-when-in-use.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { lockPrivateLocation } from "./get-location.ts";
import { describeLocation } from "./list-locations.ts";
import type { LocationModel } from "./row.ts";
import { patchLocation } from "./store.ts";

/**
 * Changes the given fields of a private location; null clears a coordinate.
 * @throws DomainError `not_found`, `forbidden` for a hosted location, `conflict` when the name is taken
 */
export async function updateLocation(
  ctx: TeamContext,
  { id, update }: { id: LocationId; update: UpdateLocation },
): Promise<Location> {
  const { teamId, services } = ctx;
  const { name, displayName, latitude, longitude } = update;
  const row = await conflictWhenInUse({ noun: "location", name }, () =>
    changeRecord(ctx, async (trx) => {
      const current = await lockPrivateLocation(trx, teamId, id);
      const updated = await patchLocation(trx, current.key, {
        name,
        displayName,
        latitude,
        longitude,
        updatedAt: new Date(services.clock.nowMs()).toISOString(),
      });
      return {
        result: updated,
        changes: [
          {
            action: "updated",
            type: "location",
            resourceId: updated.id,
            name: updated.name,
            changedFields: changedFields(described(current), described(updated)),
          },
        ],
      };
    }),
  );
  return describeLocation(ctx, row);
}

/** Returns the fields that people set, as the change log compares them. */
function described({ name, displayName, latitude, longitude }: LocationModel) {
  return { name, displayName, latitude, longitude };
}
