import type { ApiKeyId } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { changeRecord } from "../change-log/change-record.ts";
import { deleteApiKeyRow } from "./store.ts";

/**
 * Revokes a key: its next request is refused.
 * @returns false when the team has no such key
 */
export async function deleteApiKey(ctx: TeamContext, id: ApiKeyId): Promise<boolean> {
  return changeRecord(ctx, async (trx) => {
    const deleted = await deleteApiKeyRow(trx, { teamId: ctx.teamId, id });
    if (!deleted) return { result: false, changes: [] };
    return {
      result: true,
      changes: [{ action: "deleted", type: "api_key", resourceId: id, name: deleted.name }],
    };
  });
}
