import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { Clock } from "../../platform/clock.ts";
import type { Author } from "../../platform/team-context.ts";
import { recordChange } from "../change-log/store.ts";
import { deleteApiKey as deleteApiKeyRow } from "./store.ts";

/** Revokes a key. @returns false when the team has no such key */
export async function deleteApiKey(
  knex: Knex,
  clock: Clock,
  teamId: TeamId,
  id: string,
  author: Author,
): Promise<boolean> {
  return knex.transaction(async (trx) => {
    const deleted = await deleteApiKeyRow(trx, teamId, id);
    if (!deleted) return false;
    await recordChange(trx, {
      ...{ teamId, author, action: "deleted", type: "api_key", atMs: clock.nowMs() },
      ...{ resourceId: id, name: deleted.name },
    });
    return true;
  });
}
