import { notFound, type StatusPage, type StatusPageId } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { pageFromRow } from "./row.ts";
import { findPageRow } from "./store.ts";

/**
 * Returns a status page of the team.
 * @throws DomainError `not_found` when the team has no such page
 */
export async function getPage(
  { services, teamId }: TeamContext,
  { id }: { id: StatusPageId },
): Promise<StatusPage> {
  const row = await findPageRow(services.knex, teamId, id);
  if (!row) throw notFound("Status page");
  return pageFromRow(row);
}
