import { DomainError, type TeamId } from "@svc/contract";
import { recordChange } from "../../accounts/change-log/store.ts";
import { wakeFleets } from "../../platform/db/wake-ups.ts";
import type { Services } from "../../platform/services.ts";
import { type Author, OPERATOR } from "../../platform/team-context.ts";
import { lockPrivateLocation } from "./get-location.ts";
import { findCheckUsing, markLocationDeleted } from "./store.ts";

/**
 * Deletes the location with its runner keys: its runners' streams end. Results measured there stay.
 * @throws DomainError not_found (also the second time), forbidden, conflict while a check runs there
 */
export async function deleteLocation(
  { knex, clock }: Services,
  teamId: TeamId,
  id: string,
  author: Author = OPERATOR,
): Promise<void> {
  await knex.transaction(async (trx) => {
    const row = await lockPrivateLocation(trx, teamId, id);
    const user = await findCheckUsing(trx, teamId, row.id);
    if (user !== undefined)
      throw new DomainError("conflict", `Location ${row.name} is used by the check "${user}"`);
    await markLocationDeleted(trx, row.key, new Date(clock.nowMs()).toISOString());
    await wakeFleets(trx, "runner_keys");
    await recordChange(trx, {
      ...{ teamId, author, action: "deleted", type: "location", atMs: clock.nowMs() },
      ...{ resourceId: row.id, name: row.name },
    });
  });
}
