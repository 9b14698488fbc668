import { DomainError, notFound, type TeamId } from "@svc/contract";
import { recordChange } from "../../accounts/change-log/store.ts";
import type { Services } from "../../platform/services.ts";
import type { Author } from "../../platform/team-context.ts";
import { findReferrer } from "./references.ts";
import { deleteChannelRow, lockChannelRow } from "./store.ts";

/**
 * Deletes a channel with its deliveries and what is still to be said to it.
 * @throws DomainError not_found (also the second time), conflict while an alert rule or an SLO names it
 */
export async function deleteChannel(
  { knex, clock }: Services,
  teamId: TeamId,
  id: string,
  author: Author,
): Promise<void> {
  await knex.transaction(async (trx) => {
    const row = await lockChannelRow(trx, teamId, id);
    if (!row) throw notFound("Notification channel");
    const referrer = await findReferrer(trx, teamId, row.id);
    if (referrer) throw new DomainError("conflict", `Channel "${row.name}" is used by the ${referrer}`);
    await deleteChannelRow(trx, row.key);
    await recordChange(trx, {
      ...{ teamId, author, action: "deleted", type: "channel", atMs: clock.nowMs() },
      ...{ resourceId: row.id, name: row.name },
    });
  });
}
