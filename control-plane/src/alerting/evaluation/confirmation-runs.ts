/** Dispatches the runs that confirm failures, and names the runs that did. */
import { type LocationId, MINUTE_MS } from "@svc/contract";
import type { Knex } from "knex";
import { dispatchRun } from "../../checks/dispatch-run.ts";
import type { AlertCheck } from "../inputs/alert-check.ts";
import { type NewResult, publicResultId } from "../inputs/judged-result.ts";
import { readLocationNames } from "../inputs/result-store.ts";
import { putConfirmations, readRunnerIds } from "./confirmation-store.ts";
import type { Confirmation, ConfirmingRun } from "./transitions.ts";

/** Longest wait for a confirming run; after it the next failure asks for another. */
/** Time for which a failure waits for the run that confirms it. */
export const CONFIRMATION_MS = MINUTE_MS;

/** A failure that a rule wants to have confirmed. */
export interface WantedConfirmation {
  check: AlertCheck;
  ruleKey: number;
  failure: NewResult;
}

/**
 * Dispatches one run per check, at another of its locations or else by another runner, and stores which rules wait for it.
 */
export async function dispatchConfirmations(
  trx: Knex,
  wanted: readonly WantedConfirmation[],
  nowMs: number,
): Promise<void> {
  const runs = new Map<number, { slotMs: number; locationKey: number }>();
  const confirmations: Confirmation[] = [];
  for (const { check, ruleKey, failure } of wanted) {
    const run = runs.get(check.key) ?? (await dispatchFor(trx, { check, failure, nowMs }));
    runs.set(check.key, run);
    confirmations.push({
      ruleKey,
      checkKey: check.key,
      ...run,
      firstSlotMs: failure.slotMs,
      firstLocationKey: failure.locationKey,
      firstRunnerKey: failure.runnerKey,
      expiresAtMs: nowMs + CONFIRMATION_MS,
    });
  }
  await putConfirmations(trx, confirmations);
}

async function dispatchFor(
  trx: Knex,
  { check, failure, nowMs }: { check: AlertCheck; failure: NewResult; nowMs: number },
) {
  const others = check.locationKeys.filter((key) => key !== failure.locationKey);
  // Another location each time, so that one without a runner does not hold back every alert.
  const locationKey = others[Math.floor(failure.slotMs / 1000) % others.length] ?? failure.locationKey;
  const slotMs = await dispatchRun(trx, {
    check,
    locationKeys: [locationKey],
    atMs: nowMs,
    reason: "confirmation",
    avoidRunnerKeys: [failure.runnerKey],
  });
  return { slotMs, locationKey };
}

/** Returns a function that names the run of one of these results. */
export async function readConfirmingRuns(
  trx: Knex,
  results: readonly NewResult[],
): Promise<(checkKey: number, result: NewResult) => ConfirmingRun> {
  const runnerIds = await readRunnerIds(trx, [...new Set(results.map(({ runnerKey }) => runnerKey))]);
  const locations =
    results.length > 0
      ? await readLocationNames(trx, [...new Set(results.map(({ locationKey }) => locationKey))])
      : new Map<number, { id: LocationId; name: string }>();
  return (checkKey, result) => ({
    resultId: publicResultId(checkKey, result),
    locationId: locations.get(result.locationKey)?.id ?? "",
    runnerId: runnerIds.get(result.runnerKey) ?? null,
  });
}
