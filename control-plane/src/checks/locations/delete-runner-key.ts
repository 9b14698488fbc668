import { isId, type LocationId, notFound, type RunnerKeyId } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { wakeFleets } from "../../platform/db/wake-ups.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { getPrivateLocation } from "./get-location.ts";
import { deleteRunnerKeyRow } from "./store.ts";

/**
 * Revokes a runner key of a private location: streams that were opened with it end.
 * @throws DomainError `not_found` (also the second time), `forbidden` for a hosted location
 */
export async function deleteRunnerKey(
  ctx: TeamContext,
  { locationId, keyId }: { locationId: LocationId; keyId: RunnerKeyId },
): Promise<void> {
  await changeRecord(ctx, async (trx) => {
    const location = await getPrivateLocation(trx, ctx.teamId, locationId);
    const deleted = isId("runnerKey", keyId) && (await deleteRunnerKeyRow(trx, location.key, keyId));
    if (!deleted) throw notFound("Runner key");
    await wakeFleets(trx, "runner_keys");
    return {
      result: undefined,
      changes: [{ action: "deleted", type: "runner_key", resourceId: deleted.id, name: deleted.name }],
    };
  });
}
