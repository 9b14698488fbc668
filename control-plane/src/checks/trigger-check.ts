import { notFound } from "@svc/contract";
import type { Services } from "../platform/services.ts";
import { orderRun } from "./order-run.ts";
import { currentLocationKeys, findTriggersExclusively, holdCheckRow } from "./store.ts";
import { assertMayTrigger, TEAM_WINDOW_MS } from "./trigger-limit.ts";

/**
 * Orders a run now in each of the check's locations, enabled or not. Each call is a run of its own.
 * @returns the number of locations   @throws DomainError not_found, rate_limited
 */
export async function triggerCheck({ knex, clock }: Services, teamId: string, id: string): Promise<number> {
  return knex.transaction(async (trx) => {
    const row = await holdCheckRow(trx, teamId, id);
    if (!row) throw notFound("Check");
    const locationKeys = await currentLocationKeys(trx, row.key);
    const recent = await findTriggersExclusively(trx, teamId, clock.nowMs() - TEAM_WINDOW_MS);
    assertMayTrigger(recent, { key: row.key, runs: locationKeys.length }, clock.nowMs());
    await orderRun(trx, row, locationKeys, clock.nowMs(), "triggered");
    return locationKeys.length;
  });
}
