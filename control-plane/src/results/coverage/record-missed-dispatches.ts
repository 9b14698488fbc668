/**
 * Records why a dispatched run has no result. A dispatch that no runner could be sent, or whose runner was lost, is
 * given back by nobody: so each one that has neither a result nor a reason when its result had to be there gets the
 * reason that follows from the runners at its location. A result that comes later counts all the same.
 */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "@svc/contract";
import type { Knex } from "knex";
import { GRACE_MS, LEASE_MS } from "../../fleet/timing.ts";
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import type { Services } from "../../platform/services.ts";
import { readCircumstances } from "./circumstances-store.ts";
import { longestRunMs } from "./longest-run.ts";
import { type MissingSlot, missingReason } from "./missing-reason.ts";
import { insertMissedSlots, readUnansweredDispatches } from "./store.ts";

const INTERVAL_MS = 10 * SECOND_MS;
/** Age from which on dispatches are looked at again and again: the longest run, its retries and the grace take less. */
const LOOK_BACK_MS = 15 * MINUTE_MS;
/** Age of the oldest dispatches that are looked at after a start, as the service may have been away for long. */
const FIRST_LOOK_BACK_MS = 24 * HOUR_MS;
/** Dispatches without a result that one round looks at, oldest first. */
const DISPATCHES_MAX = 5_000;

/** Starts the job that records missed dispatches every ten seconds, on one replica at a time. */
export function startMissedDispatchJob({ knex, log, clock }: Services): BackgroundJob {
  let lookBackMs = FIRST_LOOK_BACK_MS;
  return startBackgroundJob({
    name: "missed dispatches",
    intervalMs: INTERVAL_MS,
    lockKey: ADVISORY_LOCKS.missedDispatches,
    knex,
    log,
    work: async () => {
      const nowMs = clock.nowMs();
      await recordMissedDispatches(knex, { fromMs: nowMs - lookBackMs, nowMs });
      lookBackMs = LOOK_BACK_MS;
    },
  });
}

/**
 * Records the reasons of the dispatches since an instant whose result had to be there by now. Safe to repeat, and
 * beside another replica's call.
 */
export async function recordMissedDispatches(
  knex: Knex,
  { fromMs, nowMs }: { fromMs: number; nowMs: number },
): Promise<void> {
  const open = await readUnansweredDispatches(knex, {
    fromMs,
    toMs: nowMs - GRACE_MS - LEASE_MS,
    limit: DISPATCHES_MAX,
  });
  const over = open
    .map((dispatch) => ({ ...dispatch, runMsMax: longestRunMs(dispatch) }))
    // A runner that was lost has had time to connect again and to deliver what it has.
    .filter(({ slotMs, runMsMax }) => slotMs + GRACE_MS + runMsMax + LEASE_MS <= nowMs);
  if (over.length === 0) return;
  const locationKeys = [...new Set(over.map(({ locationKey }) => locationKey))];
  const circumstances = await readCircumstances(knex, locationKeys, {
    fromMs: over.reduce((oldestMs, { slotMs }) => Math.min(oldestMs, slotMs), nowMs),
    toMs: nowMs,
  });
  const missed = over.map(({ checkKey, locationKey, slotMs, runMsMax, type, usesVault }) => {
    const slot: MissingSlot = { locationKey, slotMs, dueMs: slotMs, recordedReason: null };
    const reason = missingReason(slot, {
      ...circumstances,
      needs: { type, usesVault },
      runMsMax,
      nowMs,
    });
    return { checkKey, locationKey, slotMs, reason };
  });
  await insertMissedSlots(knex, missed);
}
