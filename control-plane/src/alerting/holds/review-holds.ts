/** Looks at each alert that is held back: whether it still has to be, and because of which alert. */
import {
  type CheckId,
  DEPENDENCIES_MAX,
  groupBy,
  HOLD_REASONS,
  type HoldReason,
  MINUTE_MS,
} from "@svc/contract";
import type { Knex } from "knex";
import { nearestAbove } from "../../checks/dependencies/nearest-above.ts";
import { conditionRules } from "../conditions/registry.ts";
import { readAlertChecks } from "../inputs/alert-check.ts";
import { isSuccess } from "../inputs/judged-result.ts";
import { readNewestResults } from "../inputs/result-store.ts";
import { cutOffId } from "./cut-off.ts";
import { type Dependency, decideBlindly, decideHold, type HoldDecision } from "./decide-hold.ts";
import { decideLocationHold, type LocationSight } from "./decide-location-hold.ts";
import { Failures } from "./failures.ts";
import { findCutOff } from "./find-cut-off.ts";
import { liftHold } from "./lift-hold.ts";
import type { TeamLocation } from "./reach-store.ts";
import {
  type GraphRow,
  type HeldRow,
  markEndedHolds,
  readFailureAlerts,
  readGraph,
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

/** Which held alerts are reviewed. */
interface ReviewedAlerts {
  /** Default: all. */
  reasons?: readonly HoldReason[];
  /** Alerts that are read and judged together. */
  alertsAtOnce?: number;
}

/**
 * Notifies of each alert, held for these reasons, that has to be held no longer, and notes of the others why they are. An alert that fails
 * does not keep the others from it; one whose dependencies can't be read is held for minutes at most. Harmless to overlap with another
 * replica's call.
 * @throws AggregateError of all failures, after every alert had its turn
 */
export async function reviewHolds(
  knex: Knex,
  nowMs: number,
  { reasons = HOLD_REASONS, alertsAtOnce = ALERTS_AT_ONCE }: ReviewedAlerts = {},
): Promise<void> {
  const failures = new Failures();
  await failures.collect(() => markEndedHolds(knex, reasons));
  let afterId = "";
  for (;;) {
    const held = await readHeld(knex, { reasons, afterId, limit: alertsAtOnce, nowMs });
    for (const reason of reasons) {
      const ofReason = held.filter((alert) => alert.reason === reason);
      for (const [alert, decision] of await decisionsOf({ knex, nowMs, failures, reason }, ofReason))
        await failures.collect(() => carryOut(knex, alert, { decision, nowMs }));
    }
    if (held.length < alertsAtOnce) break;
    afterId = held.at(-1)?.instanceId ?? "";
  }
  failures.throwAny("reviews of held alerts");
}

interface Review {
  knex: Knex;
  nowMs: number;
  failures: Failures;
  /** The reason of all alerts at hand. */
  reason: HoldReason;
}

/** Reads what the decisions on these alerts depend on, all together, and returns the decision on any of them. */
const DECIDERS: Record<
  HoldReason,
  (knex: Knex, held: readonly HeldRow[], nowMs: number) => Promise<(alert: HeldRow) => HoldDecision>
> = {
  dependency: async (knex, held, nowMs) => {
    const dependencies = await loadDependencies(knex, held, nowMs);
    return (alert) => decideHold(alert, dependencies.get(alert.checkKey) ?? [], nowMs);
  },
  location: async (knex, held, nowMs) => {
    const newest = await loadNewest(
      knex,
      held.map(({ checkKey }) => checkKey),
      nowMs,
    );
    const newestOf = ({ checkKey }: HeldRow) => newest.get(checkKey) ?? [];
    const found = await findCutOff(knex, locationsInDoubt(held, newestOf, nowMs));
    return (alert) => {
      const more = found.filter(({ teamId }) => teamId === alert.teamId);
      const cutOffKeys = [...alert.cutOffKeys, ...more.map(({ locationKey }) => locationKey)];
      return decideLocationHold(alert, { cutOffKeys, newest: newestOf(alert) }, nowMs);
    };
  },
};

/** Returns the locations where checks of the alerts fail, each once, but those known to be cut off: these may be, too, without an outage that says so. */
function locationsInDoubt(
  held: readonly HeldRow[],
  newestOf: (alert: HeldRow) => readonly NewestResult[],
  nowMs: number,
): TeamLocation[] {
  const inDoubt = new Map<string, TeamLocation>();
  for (const alert of held)
    for (const { locationKey, isFailing } of newestOf(alert)) {
      if (!isFailing || alert.cutOffKeys.includes(locationKey)) continue;
      const location = { teamId: alert.teamId, locationKey, atMs: nowMs };
      inDoubt.set(cutOffId(location), location);
    }
  return [...inDoubt.values()];
}

/** Returns the alerts, each with its decision. Where these can't be made together, they are for each alert alone. */
async function decisionsOf(
  review: Review,
  held: readonly HeldRow[],
): Promise<(readonly [HeldRow, HoldDecision])[]> {
  const { knex, nowMs, failures, reason } = review;
  if (held.length === 0) return [];
  let decide: ((alert: HeldRow) => HoldDecision) | undefined;
  await failures.collect(async () => {
    decide = await DECIDERS[reason](knex, held, nowMs);
  });
  const known = decide;
  if (known !== undefined) return held.map((alert) => [alert, known(alert)]);
  const [alert] = held;
  if (held.length === 1 && alert !== undefined) return [[alert, decideBlindly(alert, nowMs)]];
  const decisions: (readonly [HeldRow, HoldDecision])[] = [];
  for (const one of held) decisions.push(...(await decisionsOf(review, [one])));
  return decisions;
}

async function carryOut(
  knex: Knex,
  alert: HeldRow,
  { decision, nowMs }: { decision: HoldDecision; nowMs: number },
): Promise<void> {
  if (decision.kind === "release") await liftHold(knex, alert, nowMs);
  else if (decision.kind === "hold") {
    if (decision.causeId !== alert.causeId || alert.freeSinceMs !== null)
      await updateHold(knex, alert.instanceId, { causeId: decision.causeId, freeSinceMs: null });
  } else if (decision.freeSinceMs !== alert.freeSinceMs)
    await updateHold(knex, alert.instanceId, { freeSinceMs: decision.freeSinceMs });
}

/** Returns the dependencies of each check by its key. Results are read for the alerts that may go at any moment alone. */
async function loadDependencies(
  knex: Knex,
  held: readonly HeldRow[],
  nowMs: number,
): Promise<Map<number, Dependency[]>> {
  const above = dependenciesOf(
    held,
    await readGraph(knex, [...new Set(held.map(({ checkKey }) => checkKey))]),
  );
  const keys = new Set([...above.values()].flat().map(({ checkKey }) => checkKey));
  const alerts = new Map(
    (await readFailureAlerts(knex, [...keys], ABOUT_FAILURE)).map((row) => [row.checkKey, row]),
  );
  const looking = held.filter(
    ({ checkKey, causeId, freeSinceMs }) =>
      causeId === null &&
      freeSinceMs === null &&
      !above.get(checkKey)?.some((dependency) => alerts.has(dependency.checkKey)),
  );
  const newest = await loadNewest(
    knex,
    looking.flatMap(({ checkKey }) => (above.get(checkKey) ?? []).map((dependency) => dependency.checkKey)),
    nowMs,
  );
  return new Map(
    [...above].map(([key, rows]) => [
      key,
      rows.map(({ checkKey, checkId }) => ({
        checkId,
        newest: newest.get(checkKey) ?? [],
        alert: alerts.get(checkKey) ?? null,
      })),
    ]),
  );
}

/** Returns the running checks that those of the alerts depend on, by the keys of these: the 100 nearest, which are all. */
function dependenciesOf(held: readonly HeldRow[], graph: readonly GraphRow[]): Map<number, GraphRow[]> {
  const byId = new Map(graph.map((row) => [row.checkId, row]));
  const byKey = new Map(graph.map((row) => [row.checkKey, row]));
  const dependsOn = { get: (id: CheckId) => byId.get(id)?.dependsOn };
  return new Map(
    held.map(({ checkKey }) => {
      const row = byKey.get(checkKey);
      const ids = row === undefined ? [] : nearestAbove(row.checkId, dependsOn, DEPENDENCIES_MAX);
      const rows = ids.flatMap((id) => byId.get(id) ?? []);
      return [checkKey, rows.filter(({ isRunning }) => isRunning)];
    }),
  );
}

type NewestResult = LocationSight["newest"][number];

async function loadNewest(
  knex: Knex,
  checkKeys: readonly number[],
  nowMs: number,
): Promise<Map<number, NewestResult[]>> {
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
      ofCheck.map((result) => ({
        locationKey: result.locationKey,
        slotMs: result.slotMs,
        isFailing: !isSuccess(result),
      })),
    ]),
  );
}
