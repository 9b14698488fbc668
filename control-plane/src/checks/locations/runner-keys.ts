/** Keys by which runner agents connect to a private location. Two may live at a time, so that they can be rotated. */
import { DomainError, isId, newId, notFound, type RunnerKey, type TeamId } from "@svc/contract";
import { recordChange } from "../../accounts/change-log/store.ts";
import { hashToken, keyPrefixOf, newKey } from "../../accounts/identity/tokens.ts";
import { wakeFleets } from "../../platform/db/wake-ups.ts";
import type { Services } from "../../platform/services.ts";
import { type Author, OPERATOR } from "../../platform/team-context.ts";
import { getPrivateLocation, lockPrivateLocation } from "./get-location.ts";
import { runnerKeyFromRow } from "./row.ts";
import { deleteRunnerKeyRow, insertRunnerKey, listRunnerKeyRows } from "./store.ts";

export const LIVE_RUNNER_KEYS_MAX = 2;

/**
 * Makes a key. Its secret is in this answer and nowhere else.
 * @throws DomainError not_found, forbidden, conflict while {@link LIVE_RUNNER_KEYS_MAX} live
 */
export async function createRunnerKey(
  { knex, clock }: Services,
  teamId: TeamId,
  locationId: string,
  name: string,
  author: Author = OPERATOR,
): Promise<RunnerKey & { secret: string }> {
  const secret = newKey("rk_");
  const row = await knex.transaction(async (trx) => {
    const location = await lockPrivateLocation(trx, teamId, locationId);
    const live = await listRunnerKeyRows(trx, location.key);
    if (live.length >= LIVE_RUNNER_KEYS_MAX)
      throw new DomainError(
        "conflict",
        `Location ${location.name} has ${live.length} runner keys, the most there may be; delete one first`,
      );
    const nowMs = clock.nowMs();
    const inserted = await insertRunnerKey(trx, {
      id: newId("runnerKey"),
      locationKey: location.key,
      name,
      keyPrefix: keyPrefixOf(secret),
      keyHash: hashToken(secret),
      createdAt: new Date(nowMs).toISOString(),
    });
    await recordChange(trx, {
      ...{ teamId, author, action: "created", type: "runner_key", atMs: nowMs },
      ...{ resourceId: inserted.id, name },
    });
    return inserted;
  });
  return { ...runnerKeyFromRow(row), secret };
}

/** Oldest first, without secrets. @throws DomainError not_found, forbidden */
export async function listRunnerKeys(
  { knex }: Services,
  teamId: TeamId,
  locationId: string,
): Promise<RunnerKey[]> {
  const location = await getPrivateLocation(knex, teamId, locationId);
  return (await listRunnerKeyRows(knex, location.key)).map(runnerKeyFromRow);
}

/** Revokes a key: streams that were opened with it end. @throws DomainError not_found (also the second time), forbidden */
export async function deleteRunnerKey(
  { knex, clock }: Services,
  teamId: TeamId,
  locationId: string,
  keyId: string,
  author: Author = OPERATOR,
): Promise<void> {
  await knex.transaction(async (trx) => {
    const location = await getPrivateLocation(trx, teamId, locationId);
    const deleted = isId("runnerKey", keyId) && (await deleteRunnerKeyRow(trx, location.key, keyId));
    if (!deleted) throw notFound("Runner key");
    await wakeFleets(trx, "runner_keys");
    await recordChange(trx, {
      ...{ teamId, author, action: "deleted", type: "runner_key", atMs: clock.nowMs() },
      ...{ resourceId: deleted.id, name: deleted.name },
    });
  });
}
