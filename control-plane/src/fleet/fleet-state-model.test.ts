/** FleetState against a plain model of it, through random changes: no column, group or short cut may show. */
import type { CheckId, LocationId, RunnerId, TeamId } from "@svc/contract";
import { describe, expect, test } from "vitest";
import { checkLocationId } from "../platform/check-location.ts";
import { ownerOf } from "./assignment.ts";
import { fleetRunnerFromRow } from "./fleet-runner.ts";
import { FleetState } from "./fleet-state.ts";
import type { CheckRow, LocationRow, RunnerRow } from "./fleet-store.ts";

const CHECKS = 40;
const LOCATION_KEYS = [1, 2, 3, 4];
const STEPS = 100;

/** Returns numbers from 0 to below `bound`, the same ones for a seed. */
function randomOf(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/** The rows that a state was given last. */
interface Model {
  locations: LocationRow[];
  checks: Map<number, CheckRow>;
  runners: RunnerRow[];
}

function locationId(key: number): LocationId {
  return `loc_${key}` as LocationId;
}

/** Location 4 is team 1's own. */
function someLocations(random: (bound: number) => number): LocationRow[] {
  return LOCATION_KEYS.map((key) => ({
    key,
    id: locationId(key),
    name: `location ${key}`,
    teamId: key === 4 ? ("team_1" as TeamId) : null,
    status: random(6) === 0 ? "retired" : "active",
  }));
}

function someCheck(key: number, revision: number, random: (bound: number) => number): CheckRow {
  const locationKeys = LOCATION_KEYS.filter(() => random(2) === 0);
  const frequencySeconds = [10, 60][random(2)] as number;
  const older = random(3) === 0 ? [{ frequencySeconds: 30, locationKeys: [1], effectiveFromMs: 5 }] : [];
  return {
    key,
    id: `chk_${key}` as CheckId,
    teamId: `team_${key % 2}` as TeamId,
    type: ["http", "browser"][random(2)] as string,
    frequencySeconds,
    locationIds: locationKeys.map(locationId),
    enabled: random(5) > 0,
    revision,
    usesVault: random(4) === 0,
    revisions: [...older, { frequencySeconds, locationKeys, effectiveFromMs: 100 * random(10) }],
  };
}

function someRunners(random: (bound: number) => number, withFull: boolean): RunnerRow[] {
  return Array.from({ length: 12 }, (_, i) => ({
    key: i + 1,
    id: `rnr_${i + 1}` as RunnerId,
    sessionId: "session",
    replicaId: "replica",
    locationKeys: i < 9 ? [1 + (i % 3)] : [3, 4],
    capabilities: random(4) === 0 ? ["browser"] : ["http", "browser", ...(random(3) > 0 ? ["vault"] : [])],
    capacityPerSecond: [100, 100, 300][random(3)] as number,
    draining: random(10) === 0,
    connectedAtMs: 100 * random(5),
    leaseUntilMs: 100 * (5 + random(10)),
    isAlive: random(3) > 0,
    notAcceptingSinceMs: withFull && random(4) === 0 ? 100 * random(10) : null,
  })).filter(() => random(10) > 0);
}

/** Returns the owner of every check location that runs, by its id: a runner's key or undefined. */
function ownersOf({ locations, checks, runners }: Model): Map<string, number | undefined> {
  const owners = new Map<string, number | undefined>();
  for (const check of checks.values()) {
    if (!check.enabled) continue;
    for (const { key: locationKey, teamId, status } of locations) {
      const isOpen = status !== "retired" && (teamId === null || teamId === check.teamId);
      if (!isOpen || !check.locationIds.includes(locationId(locationKey))) continue;
      const known = runners.filter((runner) => runner.locationKeys.includes(locationKey));
      const effectiveFromMs = check.revisions.at(-1)?.effectiveFromMs ?? 0;
      const checkLocation = { ...check, checkKey: check.key, locationKey, effectiveFromMs };
      const alive = known.filter(({ isAlive }) => isAlive).map(fleetRunnerFromRow);
      owners.set(
        checkLocationId(checkLocation),
        ownerOf(checkLocation, alive, known.map(fleetRunnerFromRow))?.runnerKey,
      );
    }
  }
  return owners;
}

/** Applies one random change to both. @returns the check locations that the state says it touched */
function change(state: FleetState, model: Model, random: (bound: number) => number, step: number) {
  switch (random(4)) {
    case 0: {
      const keys = Array.from({ length: 5 }, () => 1 + random(CHECKS));
      for (const key of keys) model.checks.delete(key);
      return state.removeChecks(keys);
    }
    case 1:
      model.locations = someLocations(random);
      return state.setLocations(model.locations);
    case 2:
      model.runners = someRunners(random, step % 2 === 0);
      return state.applyRunners(model.runners);
    default: {
      const rows = Array.from({ length: 8 }, () => someCheck(1 + random(CHECKS), step + 1, random));
      const different = [...new Map(rows.map((row) => [row.key, row])).values()];
      for (const row of different) model.checks.set(row.key, row);
      return state.applyChecks(different);
    }
  }
}

describe.each([1, 2, 3, 4, 5])("after random changes (seed %d)", (seed) => {
  test("owners are those of the rows, and every change of an owner was reported", () => {
    const random = randomOf(seed);
    const state = new FleetState();
    const model: Model = { locations: [], checks: new Map(), runners: [] };
    model.locations = someLocations(() => 1);
    state.setLocations(model.locations);
    for (let step = 0; step < STEPS; step++) {
      const before = ownersOf(model);
      const touched = new Set(change(state, model, random, step).map(checkLocationId));
      const after = ownersOf(model);
      const keys = Array.from({ length: CHECKS }, (_, i) => i + 1);
      expect(keys.map((key) => state.check(key)?.revision)).toEqual(
        keys.map((key) => model.checks.get(key)?.revision),
      );
      expect(keys.map((key) => state.checkById(`chk_${key}`)?.key)).toEqual(
        keys.map((key) => model.checks.get(key)?.key),
      );
      const everywhere = keys.flatMap((checkKey) =>
        LOCATION_KEYS.map((locationKey) => ({ checkKey, locationKey })),
      );
      const ids = everywhere.map(checkLocationId);
      expect(everywhere.map((checkLocation) => state.ownerKey(checkLocation))).toEqual(
        ids.map((id) => after.get(id)),
      );
      expect(ids.filter((id) => before.get(id) !== after.get(id) && !touched.has(id))).toEqual([]);
      expect(state.countUnowned()).toBe([...after.values()].filter((owner) => owner === undefined).length);
      for (const { key } of model.runners) {
        const owned = state.ownedBy(key).map(checkLocationId).sort();
        expect(owned).toEqual([...after].flatMap(([id, owner]) => (owner === key ? [id] : [])).sort());
      }
      const ofTeam = [...model.checks.values()].filter(({ teamId }) => teamId === "team_1");
      expect(state.checkKeysOfTeams(["team_1" as TeamId]).sort()).toEqual(
        ofTeam.map(({ key }) => key).sort(),
      );
    }
  });
});
