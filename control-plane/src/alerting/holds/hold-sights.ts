/** Reads the results and alerts on which the decisions on held alerts depend, for many of them together. */
import { type CheckId, DEPENDENCIES_MAX, groupBy, type HoldReason } from "@svc/contract";
import type { Knex } from "knex";
import { nearestAbove } from "../../checks/dependencies/nearest-above.ts";
import { checkLocationId } from "../../platform/check-location.ts";
import { conditionRules } from "../conditions/registry.ts";
import { readAlertChecks } from "../inputs/alert-check.ts";
import { isSuccess } from "../inputs/judged-result.ts";
import { type ResultOfCheck, readNewestResults } from "../inputs/result-store.ts";
import { cutOffId } from "./cut-off.ts";
import { type Dependency, decideHold, type HoldDecision } from "./decide-hold.ts";
import { decideLocationHold, type LocationSight } from "./decide-location-hold.ts";
import { lastSuccessMs } from "./decide-return.ts";
import { findCutOff } from "./find-cut-off.ts";
import { isUnreached, RECENT_MS_MAX } from "./reach.ts";
import { hasCategoryInDetail, readErrorCategories, type TeamLocation } from "./reach-store.ts";
import { type GraphRow, type HeldRow, readFailureAlerts, readGraph } from "./store.ts";

/** Types of the conditions whose alerts say that a check fails. */
const ABOUT_FAILURE = conditionRules.members.flatMap(({ type, isAboutFailure }) =>
  isAboutFailure ? [type] : [],
);

/** Reads what the decisions on these alerts depend on, all together, and returns the decision on any of them. */
type LoadDecisions = (
  knex: Knex,
  held: readonly HeldRow[],
  nowMs: number,
) => Promise<(alert: HeldRow) => HoldDecision>;

/** How alerts are decided on, by the reason for which they are held back. */
export const DECIDERS: Record<HoldReason, LoadDecisions> = {
  dependency: async (knex, held, nowMs) => {
    const dependencies = await loadDependencies(knex, held, nowMs);
    const newest = await loadNewest(knex, held.filter(isReturning).map(withAge), nowMs);
    return (alert) =>
      decideHold(
        withSubject(alert),
        {
          dependencies: dependencies.get(alert.checkKey) ?? [],
          newest: newest.get(alert.checkKey) ?? [],
        },
        nowMs,
      );
  },
  location: async (knex, held, nowMs) => {
    const newest = await withReach(knex, await loadNewest(knex, held.map(withAge), nowMs));
    const newestOf = ({ checkKey }: HeldRow) => newest.get(checkKey) ?? [];
    const found = await findCutOff(knex, locationsInDoubt(held, newestOf, nowMs));
    return (alert) => {
      const more = found.filter(({ teamId }) => teamId === alert.teamId);
      const cutOffKeys = [...alert.cutOffKeys, ...more.map(({ locationKey }) => locationKey)];
      return decideLocationHold(withSubject(alert), { cutOffKeys, newest: newestOf(alert) }, nowMs);
    };
  },
};

/** Returns the alert with whether its rule is about failing runs only. */
function withSubject(alert: HeldRow) {
  return { ...alert, isAboutFailure: alert.conditionTypes.every((type) => ABOUT_FAILURE.includes(type)) };
}

/** True for an alert whose own check's results matter by now. */
function isReturning({ causeId, freeSinceMs }: HeldRow): boolean {
  return causeId !== null || freeSinceMs !== null;
}

/** Returns the check of an alert, with the age up to which its results matter. */
function withAge({ checkKey, frequencySeconds }: HeldRow): CheckToRead {
  return { checkKey, ageMs: lastSuccessMs(frequencySeconds) };
}

/** Returns the locations where checks of the alerts fail, each once, but those known to be cut off: these may be, too, without an outage that says so. */
function locationsInDoubt(
  held: readonly HeldRow[],
  newestOf: (alert: HeldRow) => readonly { locationKey: number; isFailing: boolean }[],
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
    looking.flatMap(({ checkKey }) =>
      (above.get(checkKey) ?? []).map((dependency) => ({
        checkKey: dependency.checkKey,
        ageMs: RECENT_MS_MAX,
      })),
    ),
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

/** A check whose newest results are read, and the age of slots from which on they don't matter. */
interface CheckToRead {
  checkKey: number;
  ageMs: number;
}

/** The newest result of a check at one of its locations. */
type Newest = ResultOfCheck & { isFailing: boolean };

async function loadNewest(
  knex: Knex,
  toRead: readonly CheckToRead[],
  nowMs: number,
): Promise<Map<number, Newest[]>> {
  const ages = new Map(toRead.map(({ checkKey, ageMs }) => [checkKey, ageMs]));
  const checks = ages.size === 0 ? [] : [...(await readAlertChecks(knex, [...ages.keys()])).values()];
  const results = await readNewestResults(
    knex,
    checks.flatMap(({ key, locationKeys }) =>
      locationKeys.map((locationKey) => ({
        checkKey: key,
        locationKey,
        limit: 1,
        fromMs: nowMs - (ages.get(key) ?? 0),
      })),
    ),
    { onlySuccesses: false, withVitals: false, nowMs },
  );
  const newest = results.map((result) => ({ ...result, isFailing: !isSuccess(result) }));
  return groupBy(newest, ({ checkKey }) => checkKey);
}

/** Returns the results, each with whether its run failed to get through to the target. */
async function withReach(
  knex: Knex,
  newest: ReadonlyMap<number, readonly Newest[]>,
): Promise<Map<number, LocationSight["newest"]>> {
  const failures = [...newest.values()].flat().filter(({ status }) => hasCategoryInDetail(status));
  const categories = new Map(
    (await readErrorCategories(knex, failures)).map((row) => [checkLocationId(row), row.category]),
  );
  return new Map(
    [...newest].map(([key, ofCheck]) => [
      key,
      ofCheck.map((result) => ({
        ...result,
        isUnreached: isUnreached(result.status, categories.get(checkLocationId(result))),
      })),
    ]),
  );
}
