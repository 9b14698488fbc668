import { notFound, type TeamId } from "@svc/contract";
import { recordChange } from "../../accounts/change-log/store.ts";
import type { Services } from "../../platform/services.ts";
import type { Author } from "../../platform/team-context.ts";
import { lockWindowRow, markWindowDeleted } from "./store.ts";

/** Deletes a window; one that holds ends now. @throws DomainError not_found (also the second time) */
export async function deleteWindow(
  { knex, clock }: Services,
  teamId: TeamId,
  id: string,
  author: Author,
): Promise<void> {
  const nowMs = clock.nowMs();
  await knex.transaction(async (trx) => {
    const row = await lockWindowRow(trx, teamId, id, nowMs);
    if (!row) throw notFound("Maintenance window");
    await markWindowDeleted(trx, row.key, nowMs);
    await recordChange(trx, {
      ...{ teamId, author, action: "deleted", type: "maintenance_window", atMs: nowMs },
      ...{ resourceId: row.id, name: row.name },
    });
  });
}
