import { type CreateLocation, type Location, newId } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { conflictWhenInUse } from "../../platform/db/conflict-when-in-use.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { describeLocation } from "./list-locations.ts";
import { insertLocation } from "./store.ts";

/**
 * Adds a private location; it is offline until a runner with one of its keys connects.
 * @throws DomainError `conflict` when another location of the team has the name
 */
export async function createLocation(ctx: TeamContext, input: CreateLocation): Promise<Location> {
  const { teamId, services } = ctx;
  const { name, displayName, latitude, longitude } = input;
  const row = await conflictWhenInUse({ noun: "location", name }, () =>
    changeRecord(ctx, async (trx) => {
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
        createdAt: new Date(services.clock.nowMs()).toISOString(),
      });
      return {
        result: inserted,
        changes: [{ action: "created", type: "location", resourceId: inserted.id, name }],
      };
    }),
  );
  return describeLocation(ctx, row);
}
