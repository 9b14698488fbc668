import { notFound } from "@svc/contract";
import type { Services } from "../services.ts";
import { orderRun } from "./order-run.ts";
import { currentLocationKeys, holdCheckRow } from "./store.ts";

/**
 * Orders a run now in each of the check's locations, enabled or not. Each call is a run of its own.
 * @returns the number of locations   @throws DomainError not_found
 */
export async function triggerCheck({ knex, clock }: Services, teamId: string, id: string): Promise<number> {
  return knex.transaction(async (trx) => {
    const row = await holdCheckRow(trx, teamId, id);
    if (!row) throw notFound("Check");
    const locationKeys = await currentLocationKeys(trx, row.key);
    await orderRun(trx, row, locationKeys, clock.nowMs(), "triggered");
    return locationKeys.length;
  });
}
