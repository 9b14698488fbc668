import { type CheckId, notFound } from "@svc/contract";
import type { TeamContext } from "../platform/team-context.ts";
import { dispatchRun } from "./dispatch-run.ts";
import { currentLocationKeys, findTriggersExclusively, holdCheckRow } from "./store.ts";
import { assertMayTrigger, TEAM_WINDOW_MS } from "./trigger-limit.ts";

/**
 * Dispatches a run of the check now in each of its locations, whether the check is enabled or not. Each call is a run of
 * its own.
 * @returns the number of locations
 * @throws DomainError `not_found` or `rate_limited`
 */
export async function triggerCheck(
  { services, teamId }: TeamContext,
  { id }: { id: CheckId },
): Promise<number> {
  return services.knex.transaction(async (trx) => {
    const check = await holdCheckRow(trx, teamId, id);
    if (!check) throw notFound("Check");
    const nowMs = services.clock.nowMs();
    const locationKeys = await currentLocationKeys(trx, check.key);
    const recent = await findTriggersExclusively(trx, teamId, nowMs - TEAM_WINDOW_MS);
    assertMayTrigger(recent, { key: check.key, runs: locationKeys.length }, nowMs);
    await dispatchRun(trx, { check, locationKeys, atMs: nowMs, reason: "triggered" });
    return locationKeys.length;
  });
}
