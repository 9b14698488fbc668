/**
 * Loads the inputs that the rules of the judged checks ask for, and no others: results by one or two statements, and every
 * other kind of input by its source.
 */
import { DAY_MS } from "@svc/contract";
import { checkLocationId } from "../../platform/check-location.ts";
import { ruleOf } from "../conditions/registry.ts";
import type { AlertCheck } from "../inputs/alert-check.ts";
import type { ConditionNeeds } from "../inputs/condition-input.ts";
import { isSuccess, type NewResult, type StoredResult } from "../inputs/judged-result.ts";
import type { HeldResults } from "../inputs/known-results.ts";
import {
  type CheckLocationToRead,
  groupByCheckLocation,
  type ResultOfCheck,
} from "../inputs/result-store.ts";
import {
  INPUT_KINDS,
  INPUT_SOURCES,
  type InputKind,
  type SourceLookups,
  type SourceNeeds,
} from "../inputs/sources.ts";
import type { NamedLocation } from "./check-store.ts";
import type { EvaluationStore } from "./evaluation-store.ts";
import type { StoredInput } from "./result-replay.ts";
import type { EvaluatedRule } from "./transitions.ts";

/** The tables that inputs are read from. */
type InputStore = Pick<EvaluationStore, "readNewestResults" | "loadInputs">;

/** A check whose rules are to be judged. */
export interface CheckWithRules {
  check: AlertCheck;
  /** Locations that include all that the check runs from. */
  locations: readonly NamedLocation[];
  rules: readonly EvaluatedRule[];
  newResults: readonly NewResult[];
}

/**
 * Age, against the newest result, up to which results are read: older ones are no part of a row of failures. Checks that run
 * rarely are read further back.
 */
const LOOK_BACK_MS = 2 * DAY_MS;

/** Returns the stored input of each check, by check key. */
export async function loadInput(
  store: InputStore,
  checks: readonly CheckWithRules[],
  nowMs: number,
): Promise<Map<number, StoredInput>> {
  const asking = checks.map((check) => ({ ...check, ...needsOf(check.rules) }));
  const results = await loadResults(store, asking, nowMs);
  const resultsAt = (checkKey: number, locationKey: number) =>
    results.get(checkLocationId({ checkKey, locationKey })) ?? [];
  const lookups = await loadLookups(store, { asking, resultsAt, nowMs });
  return new Map(
    asking.map(({ check, locations }) => {
      const locationInputs = check.locationKeys.map((locationKey) => {
        const named = locations.find(({ key }) => key === locationKey) ?? UNKNOWN_LOCATION;
        const { id: locationId, name } = named;
        return { locationKey, locationId, name, results: resultsAt(check.key, locationKey) };
      });
      const ofCheck = lookups(check.key);
      return [check.key, { checkKey: check.key, nowMs, locations: locationInputs, lookups: ofCheck }];
    }),
  );
}

const UNKNOWN_LOCATION = { id: "" as NamedLocation["id"], name: "" };

/** Needs of a check, those of all conditions of its rules combined; at least one result. */
interface CheckNeeds extends HeldResults {
  webVitals: boolean;
  /** Needs of the conditions, one entry per condition. */
  needs: readonly ConditionNeeds[];
}

type AskingCheck = CheckWithRules & CheckNeeds;

/** Returns the results that the rules need of each location to be judged at the next one. */
export function heldNeedsOf(rules: readonly EvaluatedRule[]): HeldResults {
  return needsOf(rules);
}

function needsOf(rules: readonly EvaluatedRule[]): CheckNeeds {
  const needs = rules.flatMap((rule) =>
    rule.conditions.map((condition) => ruleOf(condition).needs(condition)),
  );
  return {
    // Every rule needs to know whether a result is its location's newest, and whether a failure is over.
    results: Math.max(
      1,
      ...rules.map(({ recoverySuccesses }) => recoverySuccesses),
      ...needs.map(({ results = 0 }) => results),
    ),
    resultsOfAll: Math.max(0, ...needs.map(({ resultsOfAll = 0 }) => resultsOfAll)),
    newestSuccess: needs.some(({ newestSuccess }) => newestSuccess),
    webVitals: needs.some(({ webVitals }) => webVitals),
    needs,
  };
}

/** Returns the loaded results of each check location, newest first, by `checkLocationId`. */
async function loadResults(
  store: InputStore,
  checks: readonly AskingCheck[],
  nowMs: number,
): Promise<Map<string, StoredResult[]>> {
  const withVitals = checks.some(({ webVitals }) => webVitals);
  const newest = await store.readNewestResults(
    // The newest of all locations may be those of one of them.
    checks.flatMap((check) => locationsToRead(check, Math.max(check.results, check.resultsOfAll), nowMs)),
    { onlySuccesses: false, withVitals, nowMs },
  );
  // The newest success is mostly among them; only a location that keeps failing is read a second time.
  const succeeding = new Set(newest.filter(isSuccess).map(checkLocationId));
  const successes = await store.readNewestResults(
    checks
      .filter(({ newestSuccess }) => newestSuccess)
      .flatMap((check) => locationsToRead(check, 1, nowMs))
      .filter((location) => !succeeding.has(checkLocationId(location))),
    { onlySuccesses: true, withVitals: false, nowMs },
  );
  const bySlot = new Map<string, ResultOfCheck>();
  for (const result of [...successes, ...newest])
    bySlot.set(`${checkLocationId(result)}:${result.slotMs}`, result);
  const byLocation = groupByCheckLocation([...bySlot.values()]);
  for (const results of byLocation.values()) results.sort((a, b) => b.slotMs - a.slotMs);
  return byLocation;
}

/** Returns the check's locations with the number of results to read there: `count`, and the new ones on top. */
function locationsToRead(
  { check, results, resultsOfAll, newResults }: AskingCheck,
  count: number,
  nowMs: number,
): CheckLocationToRead[] {
  const lookBackMs = Math.max(
    LOOK_BACK_MS,
    2 * Math.max(results, resultsOfAll) * check.frequencySeconds * 1000,
  );
  const fromMs = newResults.reduce((min, { slotMs }) => Math.min(min, slotMs), nowMs) - lookBackMs;
  return check.locationKeys.map((locationKey) => ({
    checkKey: check.key,
    locationKey,
    limit: count + newResults.filter((result) => result.locationKey === locationKey).length,
    fromMs,
  }));
}

interface LookupsInput {
  asking: readonly AskingCheck[];
  resultsAt: (checkKey: number, locationKey: number) => readonly StoredResult[];
  nowMs: number;
}

/** Asks the sources one after another, and returns the lookups of each check. */
async function loadLookups(
  store: InputStore,
  input: LookupsInput,
): Promise<(checkKey: number) => SourceLookups> {
  const fillers: ((lookups: SourceLookups, checkKey: number) => void)[] = [];
  const load = async <Kind extends InputKind>(kind: Kind) => {
    const lookupOf = await loadFrom(store, kind, input);
    fillers.push((lookups, checkKey) => {
      lookups[kind] = lookupOf(checkKey);
    });
  };
  for (const kind of INPUT_KINDS) await load(kind);
  return (checkKey) => {
    const lookups = {} as SourceLookups;
    for (const fill of fillers) fill(lookups, checkKey);
    return lookups;
  };
}

async function loadFrom<Kind extends InputKind>(
  store: InputStore,
  kind: Kind,
  { asking, resultsAt, nowMs }: LookupsInput,
): Promise<(checkKey: number) => SourceLookups[Kind]> {
  const source = INPUT_SOURCES[kind];
  const checks = asking.flatMap(({ check, newResults, needs }) => {
    const ofKind = needsOfKind(kind, needs);
    if (ofKind.length === 0) return [];
    const need = source.combine(ofKind);
    return [
      { check, need, newResults, resultsAt: (locationKey: number) => resultsAt(check.key, locationKey) },
    ];
  });
  if (checks.length === 0) return () => source.none;
  const lookups = await store.loadInputs(kind, checks, nowMs);
  return (checkKey) => lookups.get(checkKey) ?? source.none;
}

function needsOfKind<Kind extends InputKind>(
  kind: Kind,
  needs: readonly Partial<SourceNeeds>[],
): SourceNeeds[Kind][] {
  const ofKind: SourceNeeds[Kind][] = [];
  for (const { [kind]: need } of needs) if (need !== undefined) ofKind.push(need);
  return ofKind;
}
