import type { ChannelId, Location, LocationId, UpdateLocation } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { changedFields } from "../../accounts/change-log/changed-fields.ts";
import { conflictWhenInUse } from "../../platform/db/conflict-when-in-use.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import type { ChannelAssertion } from "./channel-assertion.ts";
import { lockPrivateLocation } from "./get-location.ts";
import { describeLocation } from "./list-locations.ts";
import type { LocationModel } from "./row.ts";
import { patchLocation } from "./store.ts";

/** A change of a location, and the check of its channels that the composition root hands in. */
interface UpdateLocationInput {
  id: LocationId;
  update: UpdateLocation;
  assertChannelsExist: ChannelAssertion;
}

/**
 * Changes the given fields of a private location; null clears a coordinate.
 * @throws DomainError `not_found`, `forbidden` for a hosted location, `conflict` when the name is taken, `invalid` for a channel
 *   that is not the team's
 */
export async function updateLocation(
  ctx: TeamContext,
  { id, update, assertChannelsExist }: UpdateLocationInput,
): Promise<Location> {
  const { teamId, services } = ctx;
  const { name, displayName, latitude, longitude, channelIds, isGuarded } = update;
  const row = await conflictWhenInUse({ noun: "location", name }, () =>
    changeRecord(ctx, async (trx) => {
      const current = await lockPrivateLocation(trx, teamId, id);
      if (channelIds) await assertChannelsExist(trx, teamId, channelIds);
      const updated = await patchLocation(trx, current.key, {
        name,
        displayName,
        latitude,
        longitude,
        ...(isGuarded !== undefined && { isGuarded }),
        ...(channelIds && { channelIds: channelIds as ChannelId[] }),
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
function described({ name, displayName, latitude, longitude, channelIds, isGuarded }: LocationModel) {
  return { name, displayName, latitude, longitude, channelIds, isGuarded };
}
