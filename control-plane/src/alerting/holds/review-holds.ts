/** Looks at each alert that is held back: whether it still has to be, and because of which alert. */
import { groupBy, MINUTE_MS } from "@svc/contract";
import type { Knex } from "knex";
import { conditionRules } from "../conditions/registry.ts";
import { readAlertChecks } from "../inputs/alert-check.ts";
import { isSuccess } from "../inputs/judged-result.ts";
import { readNewestResults } from "../inputs/result-store.ts";
import { type Dependency, decideHold } from "./decide-hold.ts";
import { liftHold } from "./lift-hold.ts";
import {
  type DependencyRow,
  type HeldRow,
  markEndedHolds,
  readDependencyRows,
  readHeld,
  updateHold,
} from "./store.ts";

const ALERTS_AT_ONCE = 500;
/** Age from which on a result says nothing about now. */
const RESULT_AGE_MS = 15 * MINUTE_MS;

/** Types of the conditions whose alerts say that a check fails. */
const ABOUT_FAILURE = conditionRules.members.flatMap(({ type, isAboutFailure }) =>
  isAboutFailure ? [type] : [],
);

/**
 * Notifies of each held alert that has to be held no longer, and notes of the others why they are. Harmless to overlap with another
 * replica's call.
 */
export async function reviewHolds(knex: Knex, nowMs: number, alertsAtOnce = ALERTS_AT_ONCE): Promise<void> {
  await markEndedHolds(knex);
  let afterId = "";
  for (;;) {
    const held = await readHeld(knex, { afterId, limit: alertsAtOnce });
    await reviewPage(knex, held, nowMs);
    if (held.length < alertsAtOnce) return;
    afterId = held.at(-1)?.instanceId ?? "";
  }
}

async function reviewPage(knex: Knex, held: readonly HeldRow[], nowMs: number): Promise<void> {
  if (held.length === 0) return;
  const dependencies = await loadDependencies(knex, held, nowMs);
  for (const alert of held) {
    const decision = decideHold(alert, dependencies.get(alert.checkKey) ?? [], nowMs);
    if (decision.kind === "release") await liftHold(knex, alert, nowMs);
    else if (decision.kind === "hold") {
      if (decision.causeId !== alert.causeId || alert.freeSinceMs !== null)
        await updateHold(knex, alert.instanceId, { causeId: decision.causeId, freeSinceMs: null });
    } else if (decision.freeSinceMs !== alert.freeSinceMs)
      await updateHold(knex, alert.instanceId, { freeSinceMs: decision.freeSinceMs });
  }
}

/** Returns the dependencies of each check by its key. Results are read for the alerts that may go at any moment alone. */
async function loadDependencies(
  knex: Knex,
  held: readonly HeldRow[],
  nowMs: number,
): Promise<Map<number, Dependency[]>> {
  const checkKeys = [...new Set(held.map(({ checkKey }) => checkKey))];
  const byCheck = groupBy(
    await readDependencyRows(knex, checkKeys, ABOUT_FAILURE),
    ({ checkKey }) => checkKey,
  );
  const looking = held.filter(
    ({ checkKey, causeId, freeSinceMs }) =>
      causeId === null &&
      freeSinceMs === null &&
      !byCheck.get(checkKey)?.some(({ instanceId }) => instanceId !== null),
  );
  const newest = await loadNewest(
    knex,
    looking.flatMap(({ checkKey }) =>
      (byCheck.get(checkKey) ?? []).map(({ dependencyKey }) => dependencyKey),
    ),
    nowMs,
  );
  return new Map(
    [...byCheck].map(([checkKey, rows]) => [
      checkKey,
      rows.map((row) => dependencyOf(row, newest.get(row.dependencyKey) ?? [])),
    ]),
  );
}

function dependencyOf(row: DependencyRow, newest: Dependency["newest"]): Dependency {
  const { dependencyId: checkId, instanceId, startedAtMs, isHeld } = row;
  return {
    checkId,
    newest,
    alert:
      instanceId === null ? null : { instanceId, startedAtMs: startedAtMs ?? 0, isHeld: isHeld ?? false },
  };
}

async function loadNewest(
  knex: Knex,
  checkKeys: readonly number[],
  nowMs: number,
): Promise<Map<number, Dependency["newest"]>> {
  const checks = checkKeys.length === 0 ? new Map() : await readAlertChecks(knex, [...new Set(checkKeys)]);
  const results = await readNewestResults(
    knex,
    [...checks.values()].flatMap(({ key, locationKeys }) =>
      locationKeys.map((locationKey: number) => ({
        checkKey: key,
        locationKey,
        limit: 1,
        fromMs: nowMs - RESULT_AGE_MS,
      })),
    ),
    { onlySuccesses: false, withVitals: false },
  );
  return new Map(
    [...groupBy(results, ({ checkKey }) => checkKey)].map(([key, ofCheck]) => [
      key,
      ofCheck.map((result) => ({ slotMs: result.slotMs, isFailing: !isSuccess(result) })),
    ]),
  );
}
