import { DomainError, type LocationId, newId, type RunnerKey } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { hashToken, keyPrefixOf, newKey } from "../../accounts/identity/tokens.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { lockPrivateLocation } from "./get-location.ts";
import { runnerKeyFromRow } from "./row.ts";
import { insertRunnerKey, listRunnerKeyRows } from "./store.ts";

/** Keys of a location that may live at a time: two, so that a key can be rotated. */
const LIVE_RUNNER_KEYS_MAX = 2;

/**
 * Makes a key by which runner agents connect to a private location. Its secret is in this answer and nowhere else.
 * @throws DomainError `not_found`, `forbidden` for a hosted location, `conflict` while {@link LIVE_RUNNER_KEYS_MAX} live
 */
export async function createRunnerKey(
  ctx: TeamContext,
  { locationId, name }: { locationId: LocationId; name: string },
): Promise<RunnerKey & { secret: string }> {
  const secret = newKey("rk_");
  const row = await changeRecord(ctx, async (trx) => {
    const location = await lockPrivateLocation(trx, ctx.teamId, locationId);
    const live = await listRunnerKeyRows(trx, location.key);
    if (live.length >= LIVE_RUNNER_KEYS_MAX)
      throw new DomainError(
        "conflict",
        `Location ${location.name} has ${live.length} runner keys, the most there may be; delete one first`,
      );
    const inserted = await insertRunnerKey(trx, {
      id: newId("runnerKey"),
      locationKey: location.key,
      name,
      keyPrefix: keyPrefixOf(secret),
      keyHash: hashToken(secret),
      createdAt: new Date(ctx.services.clock.nowMs()).toISOString(),
    });
    return {
      result: inserted,
      changes: [{ action: "created", type: "runner_key", resourceId: inserted.id, name }],
    };
  });
  return { ...runnerKeyFromRow(row), secret };
}
