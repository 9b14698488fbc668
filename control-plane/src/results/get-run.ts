import { type CheckId, DAY_MS, notFound, parseRunId, type Run, type RunId } from "@svc/contract";
import { getCheckRow } from "../checks/get-check.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { expectedSlots, hasSlot } from "./coverage/expected-slots.ts";
import { readLocationsByIdOrKey, readSchedules } from "./coverage/store.ts";
import { readResults } from "./read-results.ts";
import { findDispatch, readLocationsWithResult } from "./run-store.ts";

/**
 * Returns one run of the check: where it was to run, and the results that have arrived.
 * @throws DomainError `not_found`: the check is unknown, or it has no such run
 */
export async function getRun(
  { services, teamId }: TeamContext,
  { checkId, runId }: { checkId: CheckId; runId: RunId },
): Promise<Run> {
  const { knex } = services;
  const check = await getCheckRow(knex, teamId, checkId);
  const key = parseRunId(runId);
  if (key?.checkKey !== check.key) throw notFound("Run");
  const { slotMs } = key;
  const dispatch = await findDispatch(knex, key);
  const range = { fromMs: slotMs, toMs: slotMs + DAY_MS };
  const planned = dispatch
    ? dispatch.locationKeys
    : expectedSlots(checkId, await readSchedules(knex, check.key, range), range)
        .filter((span) => hasSlot(span, slotMs))
        .map(({ locationKey }) => locationKey);
  const arrived = await readLocationsWithResult(knex, key);
  const locationKeys = [...new Set([...planned, ...arrived])];
  // A slot of the future is on the grid and no run yet.
  if (locationKeys.length === 0 || (arrived.length === 0 && slotMs > services.clock.nowMs()))
    throw notFound("Run");
  const locations = await readLocationsByIdOrKey(knex, [], locationKeys);
  const keys = arrived.map((locationKey) => ({ locationKey, slotMs }));
  return {
    id: runId,
    checkId,
    slotAt: new Date(slotMs).toISOString(),
    reason: dispatch?.reason ?? "scheduled",
    locations: locations
      .sort((a, b) => locationKeys.indexOf(a.key) - locationKeys.indexOf(b.key))
      .map(({ id }) => id),
    results: await readResults(services, check, { keys, withDetail: false }),
  };
}
