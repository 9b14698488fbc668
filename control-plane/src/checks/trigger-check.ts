import { type CheckId, DomainError, notFound, pushedTraitsOf, type RunId, runIdOf } from "@svc/contract";
import type { TeamContext } from "../platform/team-context.ts";
import { dispatchRun } from "./dispatch-run.ts";
import {
  currentLocationKeys,
  findTriggersExclusively,
  holdCheckRow,
  locationKeysWithOpenTrigger,
} from "./store.ts";
import { assertMayTrigger, TEAM_WINDOW_MS } from "./trigger-limit.ts";

/** Age up to which a triggered run without a result counts as open: an agent begins none later. */
const OPEN_MS = 30_000;

/**
 * Dispatches a run of the check now in each of its locations, whether the check is enabled or not. Where a triggered run of
 * the present configuration is open, the call joins that one.
 * @returns the number of locations, and the run: the ordered one, else the newest of those that the call joins;
 *   null when the check has no location
 * @throws DomainError `not_found`, `rate_limited`, or `invalid` for a check that reports by itself
 */
export async function triggerCheck(
  { services, teamId }: TeamContext,
  { id }: { id: CheckId },
): Promise<{ locations: number; runId: RunId | null }> {
  return services.knex.transaction(async (trx) => {
    const check = await holdCheckRow(trx, teamId, id);
    if (!check) throw notFound("Check");
    if (pushedTraitsOf(check.type))
      throw new DomainError(
        "invalid",
        `A check of type ${check.type} reports by itself: there is nothing to run`,
      );
    const nowMs = services.clock.nowMs();
    const locationKeys = await currentLocationKeys(trx, check.key);
    const recent = await findTriggersExclusively(trx, teamId, nowMs - TEAM_WINDOW_MS);
    assertMayTrigger(recent, { key: check.key, runs: locationKeys.length }, nowMs);
    const changedAtMs = check.updatedAt === null ? 0 : Date.parse(check.updatedAt);
    const open = await locationKeysWithOpenTrigger(trx, check.key, Math.max(nowMs - OPEN_MS, changedAtMs));
    const wanted = locationKeys.filter((key) => !open.has(key));
    const slotMs =
      wanted.length > 0
        ? await dispatchRun(trx, { check, locationKeys: wanted, atMs: nowMs, reason: "triggered" })
        : newestOf(open);
    return {
      locations: locationKeys.length,
      runId: slotMs === undefined ? null : runIdOf({ slotMs, checkKey: check.key }),
    };
  });
}

function newestOf(open: ReadonlyMap<number, number>): number | undefined {
  return open.size === 0 ? undefined : Math.max(...open.values());
}
