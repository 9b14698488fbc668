import { type ChannelId, type CreateLocation, type Location, newId } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { conflictWhenInUse } from "../../platform/db/conflict-when-in-use.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import type { ChannelAssertion } from "./channel-assertion.ts";
import { describeLocation } from "./list-locations.ts";
import { insertLocation, insertReportedHealth } from "./store.ts";

/** A new location, and the check of its channels that the composition root hands in. */
interface CreateLocationInput {
  location: CreateLocation;
  assertChannelsExist: ChannelAssertion;
}

/**
 * Adds a private location; it is offline until a runner with one of its keys connects.
 * @throws DomainError `conflict` when another location of the team has the name; `invalid` for a channel that is not the team's
 */
export async function createLocation(
  ctx: TeamContext,
  { location: input, assertChannelsExist }: CreateLocationInput,
): Promise<Location> {
  const { teamId, services } = ctx;
  const { name, displayName, latitude, longitude, channelIds, isGuarded } = input;
  const row = await conflictWhenInUse({ noun: "location", name }, () =>
    changeRecord(ctx, async (trx) => {
      await assertChannelsExist(trx, teamId, channelIds);
      const inserted = await insertLocation(trx, {
        id: newId("location"),
        teamId,
        name,
        displayName: displayName ?? name,
        region: "private",
        type: "private",
        status: "active",
        latitude: latitude ?? null,
        longitude: longitude ?? null,
        channelIds: channelIds as ChannelId[],
        isGuarded,
        createdAt: new Date(services.clock.nowMs()).toISOString(),
      });
      // So that the first agent's arrival is a change of health.
      await insertReportedHealth(trx, inserted.key, "offline");
      return {
        result: inserted,
        changes: [{ action: "created", type: "location", resourceId: inserted.id, name }],
      };
    }),
  );
  return describeLocation(ctx, row);
}
