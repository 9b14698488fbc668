import { DomainError, type LocationId } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { wakeFleets } from "../../platform/db/wake-ups.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { lockPrivateLocation } from "./get-location.ts";
import { findCheckUsing, markLocationDeleted } from "./store.ts";

/**
 * Deletes a private location with its runner keys: its runners' streams end. Results measured there stay.
 * @throws DomainError `not_found` (also the second time), `forbidden` for a hosted location, `conflict` while a check runs
 *   there
 */
export async function deleteLocation(ctx: TeamContext, { id }: { id: LocationId }): Promise<void> {
  const { teamId, services } = ctx;
  await changeRecord(ctx, async (trx) => {
    const row = await lockPrivateLocation(trx, teamId, id);
    const user = await findCheckUsing(trx, teamId, row.id);
    if (user !== undefined)
      throw new DomainError("conflict", `Location ${row.name} is used by the check "${user}"`);
    await markLocationDeleted(trx, row.key, new Date(services.clock.nowMs()).toISOString());
    await wakeFleets(trx, "runner_keys");
    return {
      result: undefined,
      changes: [{ action: "deleted", type: "location", resourceId: row.id, name: row.name }],
    };
  });
}
