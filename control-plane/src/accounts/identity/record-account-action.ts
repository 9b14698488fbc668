import type { AuditEntry, UserId } from "@svc/contract";
import type { Knex } from "knex";
import type { Author } from "../../platform/team-context.ts";
import { type AuditContext, type AuditedAction, recordAudit } from "../audit/record-audit.ts";
import { findActorName } from "../audit/store.ts";
import { listTeamIdsOf } from "./store.ts";

/** An action that concerns an account, whichever team it works in. */
interface AccountAction extends Pick<AuditedAction, "action"> {
  userId: UserId;
  detail?: AuditEntry["detail"];
}

/**
 * Records an action about an account for each of its teams, in the action's transaction; for the operator alone when
 * the account is in no team.
 */
export async function recordAccountAction(
  { services, author }: Pick<AuditContext, "services"> & { author: Author },
  trx: Knex,
  { userId, ...action }: AccountAction,
): Promise<void> {
  const about = { resourceId: userId, resourceName: await findActorName(trx, userId) };
  const teamIds = await listTeamIdsOf(trx, userId);
  for (const teamId of teamIds.length > 0 ? teamIds : [null])
    await recordAudit({ services, teamId, author }, { ...action, ...about }, trx);
}
