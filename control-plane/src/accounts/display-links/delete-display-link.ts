import { type DisplayLinkId, notFound } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { deleteDisplayLinkRow } from "./store.ts";

/**
 * Revokes a display link: the next request of each of its screens is refused, and their live streams end within half a minute.
 * @throws DomainError `not_found`, also once it was revoked
 */
export async function deleteDisplayLink(ctx: TeamContext, id: DisplayLinkId): Promise<void> {
  const { services, teamId } = ctx;
  await services.knex.transaction(async (trx) => {
    const name = await deleteDisplayLinkRow(trx, { teamId, id });
    if (name === undefined) throw notFound("Display link");
    await recordAudit(ctx, { action: "display_link.revoked", resourceId: id, resourceName: name }, trx);
  });
}
