import { type CheckId, type LocationId, phaseMs, type RunnerId, staggerMs, type TeamId } from "@svc/contract";
import { beforeEach, describe, expect, test } from "vitest";
import { staggerOf } from "./fleet-check.ts";
import { FleetState } from "./fleet-state.ts";
import type { CheckRow, LocationRow, RunnerRow } from "./fleet-store.ts";

let state: FleetState;

beforeEach(() => {
  state = new FleetState();
  state.setLocations([aLocation(1), aLocation(2), aLocation(3)]);
});

const TEAM = "team_1" as TeamId;
const OTHER_TEAM = "team_2" as TeamId;

function aLocation(key: number, teamId: TeamId | null = null): LocationRow {
  return { key, id: locationId(key), name: `location ${key}`, teamId, status: "active" };
}

function locationId(key: number): LocationId {
  return `loc_${key}` as LocationId;
}

function aCheckRow(key: number, overrides: Partial<CheckRow> = {}): CheckRow {
  const frequencySeconds = overrides.frequencySeconds ?? 60;
  const enabled = overrides.enabled ?? true;
  const revision = overrides.revision ?? 1;
  return {
    key,
    id: `chk_${key}` as CheckId,
    teamId: TEAM,
    type: "http",
    frequencySeconds,
    locationIds: [locationId(1)],
    enabled,
    revision,
    usesVault: false,
    revisions: [{ frequencySeconds, locationKeys: [1], effectiveFromMs: 0 }],
    ...overrides,
  };
}

function aRunnerRow(key: number, overrides: Partial<RunnerRow> = {}): RunnerRow {
  return {
    key,
    id: `rnr_${key}` as RunnerId,
    sessionId: `session_${key}`,
    replicaId: "replica",
    locationKeys: [1, 2, 3],
    capabilities: ["http"],
    capacityPerSecond: 100,
    draining: false,
    connectedAtMs: 0,
    leaseUntilMs: 1_000_000,
    isAlive: true,
    notAcceptingSinceMs: null,
    ...overrides,
  };
}

describe("the check locations that a change touches", () => {
  test("a renewed lease touches nothing", () => {
    state.applyChecks([aCheckRow(1)]);
    expect(state.applyRunners([aRunnerRow(7)])).toEqual([{ checkKey: 1, locationKey: 1 }]);
    expect(state.applyRunners([aRunnerRow(7, { leaseUntilMs: 2_000_000 })])).toEqual([]);
  });

  test("a check read again without a change touches nothing", () => {
    expect(state.applyChecks([aCheckRow(1)])).toHaveLength(1);
    expect(state.applyChecks([aCheckRow(1)])).toEqual([]);
  });

  test("a changed check touches where it was and where it is", () => {
    state.applyChecks([aCheckRow(1)]);
    const touched = state.applyChecks([aCheckRow(1, { revision: 2, locationIds: [locationId(2)] })]);
    expect(touched.map(({ locationKey }) => locationKey).sort()).toEqual([1, 2]);
  });

  test("the first runner of a location with 150,000 checks touches them all", () => {
    state.applyChecks(Array.from({ length: 150_000 }, (_, i) => aCheckRow(i + 1)));
    expect(state.countUnowned()).toBe(150_000);
    expect(state.applyRunners([aRunnerRow(7)]).length).toBe(150_000);
    expect(state.countUnowned()).toBe(0);
  });

  test("a lost runner touches only what it owned", () => {
    state.applyChecks(Array.from({ length: 50 }, (_, i) => aCheckRow(i + 1)));
    state.applyRunners([aRunnerRow(7), aRunnerRow(8)]);
    const owned = state.ownedBy(7);
    const touched = state.applyRunners([aRunnerRow(7, { isAlive: false }), aRunnerRow(8)]);
    expect(touched).toEqual(expect.arrayContaining(owned));
    expect(touched).toHaveLength(owned.length);
    expect(state.ownedBy(8)).toHaveLength(50);
  });
});

describe("ownership", () => {
  test("a disabled or deleted check has no owner, though runners are ranked for a trigger", () => {
    state.applyRunners([aRunnerRow(7)]);
    state.applyChecks([aCheckRow(1, { enabled: false }), aCheckRow(2)]);
    expect(state.ownerKey({ checkKey: 1, locationKey: 1 })).toBeUndefined();
    expect(state.rank({ checkKey: 1, locationKey: 1 }).map((runner) => runner.runnerKey)).toEqual([7]);
    state.removeChecks([2]);
    expect(state.ownerKey({ checkKey: 2, locationKey: 1 })).toBeUndefined();
    expect(state.check(2)).toBeUndefined();
    expect(state.checkById("chk_2")).toBeUndefined();
  });

  test("a check has neither owner nor ranked runners where it does not run", () => {
    state.applyRunners([aRunnerRow(7)]);
    state.applyChecks([aCheckRow(1)]);
    expect(state.rank({ checkKey: 1, locationKey: 2 })).toEqual([]);
  });

  test("a check that names another team's location has no owner there", () => {
    state.setLocations([aLocation(1), aLocation(2, OTHER_TEAM), aLocation(3, TEAM)]);
    state.applyRunners([aRunnerRow(7)]);
    state.applyChecks([aCheckRow(1, { locationIds: [1, 2, 3].map(locationId) })]);
    const at = [1, 2, 3].map((locationKey) => ({ checkKey: 1, locationKey }));
    expect(at.map((checkLocation) => state.ownerKey(checkLocation))).toEqual([7, undefined, 7]);
    expect(at.map((checkLocation) => state.rank(checkLocation).length)).toEqual([1, 0, 1]);
  });

  test("a check at several locations is owned by a runner of each location", () => {
    state.applyRunners([aRunnerRow(7, { locationKeys: [1] }), aRunnerRow(8, { locationKeys: [2] })]);
    state.applyChecks([aCheckRow(1, { locationIds: [1, 2, 3].map(locationId) })]);
    expect([1, 2, 3].map((locationKey) => state.ownerKey({ checkKey: 1, locationKey }))).toEqual([
      7,
      8,
      undefined,
    ]);
    expect(state.countUnowned()).toBe(1);
  });
});

test("the stagger follows the order of the check's own list of locations", () => {
  state.applyChecks([aCheckRow(1, { locationIds: [3, 1, 2].map(locationId) })]);
  const check = state.check(1);
  if (!check) throw new Error("no check");
  expect([3, 1, 2].map((key) => staggerOf(check, key))).toEqual(
    [0, 1, 2].map((i) => staggerMs(i, 3, 60_000)),
  );
});

test("a check that takes the place of a deleted one has nothing of it", () => {
  state.applyRunners([aRunnerRow(7)]);
  state.applyChecks([aCheckRow(1), aCheckRow(2)]);
  state.removeChecks([1]);
  state.applyChecks([aCheckRow(3, { teamId: OTHER_TEAM, enabled: false, frequencySeconds: 10 })]);
  expect(state.identityOf(3)).toEqual({ id: "chk_3", teamId: OTHER_TEAM });
  expect(state.identityOf(1)).toBeUndefined();
  expect(state.check(3)).toMatchObject({
    enabled: false,
    periodMs: 10_000,
    phaseMs: phaseMs("chk_3" as CheckId, 10),
  });
  expect(state.ownerKey({ checkKey: 3, locationKey: 1 })).toBeUndefined();
  expect(state.checkKeysOfTeams([TEAM])).toEqual([2]);
  expect(state.ownedBy(7)).toEqual([{ checkKey: 2, locationKey: 1 }]);
});

test("the grids of former schedules stay known, so that late results can be judged by them", () => {
  const revisions = [
    { frequencySeconds: 10, locationKeys: [1], effectiveFromMs: 0 },
    { frequencySeconds: 60, locationKeys: [1, 2], effectiveFromMs: 500 },
  ];
  state.applyChecks([aCheckRow(1, { revision: 2, locationIds: [1, 2].map(locationId), revisions })]);
  expect(state.check(1)?.grids.map(({ periodMs, locationKeys }) => [periodMs, locationKeys])).toEqual([
    [10_000, [1]],
    [60_000, [1, 2]],
  ]);
  expect(state.check(1)?.effectiveFromMs).toBe(500);
});

describe("a location that is retired", () => {
  const retired = (key: number) => ({ ...aLocation(key), status: "retired" });
  const others = [aLocation(2), aLocation(3)];

  test("runs nothing any more, and runs its checks again once it is put in service again", () => {
    state.applyChecks([aCheckRow(1), aCheckRow(2, { locationIds: [locationId(2)] })]);
    state.applyRunners([aRunnerRow(1)]);
    const here = { checkKey: 1, locationKey: 1 };
    expect(state.ownerKey(here)).toBe(1);
    expect(state.setLocations([retired(1), ...others])).toEqual([here]);
    expect([state.ownerKey(here), state.rank(here)]).toEqual([undefined, []]);
    expect(state.ownerKey({ checkKey: 2, locationKey: 2 })).toBe(1);
    expect(state.countUnowned()).toBe(0);
    expect(state.setLocations([retired(1), ...others])).toEqual([]);
    expect(state.setLocations([aLocation(1), ...others])).toEqual([here]);
    expect(state.ownerKey(here)).toBe(1);
  });

  test("one that is deprecated still runs its checks", () => {
    state.applyChecks([aCheckRow(1)]);
    state.applyRunners([aRunnerRow(1)]);
    state.setLocations([{ ...aLocation(1), status: "deprecated" }, ...others]);
    expect(state.ownerKey({ checkKey: 1, locationKey: 1 })).toBe(1);
  });
});
