import { staggerMs, type TeamId } from "@svc/contract";
import { beforeEach, describe, expect, test } from "vitest";
import { FleetState } from "./fleet-state.ts";
import type { CheckRow, RunnerRow } from "./fleet-store.ts";

let state: FleetState;

beforeEach(() => {
  state = new FleetState();
  state.setLocations([aLocation(1), aLocation(2), aLocation(3)]);
});

function aLocation(key: number, teamId: TeamId | null = null) {
  return { key, id: `loc_${key}`, name: `location ${key}`, teamId, status: "active" };
}

function aCheckRow(key: number, overrides: Partial<CheckRow> = {}): CheckRow {
  const frequencySeconds = overrides.frequencySeconds ?? 60;
  const enabled = overrides.enabled ?? true;
  const revision = overrides.revision ?? 1;
  return {
    key,
    id: `chk_${key}`,
    teamId: "team_1" as TeamId,
    type: "http",
    frequencySeconds,
    locationIds: ["loc_1"],
    enabled,
    revision,
    revisions: [{ revision, frequencySeconds, locationKeys: [1], enabled, effectiveFromMs: 0 }],
    ...overrides,
  };
}

function aRunnerRow(key: number, overrides: Partial<RunnerRow> = {}): RunnerRow {
  return {
    key,
    id: `rnr_${key}`,
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

describe("what a change touches", () => {
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
    const touched = state.applyChecks([aCheckRow(1, { revision: 2, locationIds: ["loc_2"] })]);
    expect(touched.map((pair) => pair.locationKey).sort()).toEqual([1, 2]);
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

describe("who owns", () => {
  test("a disabled or deleted check: nobody, though runners are ranked for a triggered run", () => {
    state.applyRunners([aRunnerRow(7)]);
    state.applyChecks([aCheckRow(1, { enabled: false }), aCheckRow(2)]);
    expect(state.ownerKey({ checkKey: 1, locationKey: 1 })).toBeUndefined();
    expect(state.rank({ checkKey: 1, locationKey: 1 }).map((runner) => runner.runnerKey)).toEqual([7]);
    state.removeChecks([2]);
    expect(state.ownerKey({ checkKey: 2, locationKey: 1 })).toBeUndefined();
    expect(state.check(2)).toBeUndefined();
    expect(state.checkById("chk_2")).toBeUndefined();
  });

  test("where a check does not run: nobody, and no runner is ranked", () => {
    state.applyRunners([aRunnerRow(7)]);
    state.applyChecks([aCheckRow(1)]);
    expect(state.rank({ checkKey: 1, locationKey: 2 })).toEqual([]);
  });

  test("a check that names another team's location: nobody there", () => {
    state.setLocations([aLocation(1), aLocation(2, "team_2" as TeamId), aLocation(3, "team_1" as TeamId)]);
    state.applyRunners([aRunnerRow(7)]);
    state.applyChecks([aCheckRow(1, { locationIds: ["loc_1", "loc_2", "loc_3"] })]);
    const at = [1, 2, 3].map((locationKey) => ({ checkKey: 1, locationKey }));
    expect(at.map((pair) => state.ownerKey(pair))).toEqual([7, undefined, 7]);
    expect(at.map((pair) => state.rank(pair).length)).toEqual([1, 0, 1]);
  });

  test("a check at several locations: each location's own runners", () => {
    state.applyRunners([aRunnerRow(7, { locationKeys: [1] }), aRunnerRow(8, { locationKeys: [2] })]);
    state.applyChecks([aCheckRow(1, { locationIds: ["loc_1", "loc_2", "loc_3"] })]);
    expect([1, 2, 3].map((locationKey) => state.ownerKey({ checkKey: 1, locationKey }))).toEqual([
      7,
      8,
      undefined,
    ]);
    expect(state.countUnowned()).toBe(1);
  });
});

test("the stagger follows the order of the check's own list of locations", () => {
  state.applyChecks([aCheckRow(1, { locationIds: ["loc_3", "loc_1", "loc_2"] })]);
  const check = state.check(1);
  if (!check) throw new Error("no check");
  expect([3, 1, 2].map((key) => state.staggerOf(check, key))).toEqual(
    [0, 1, 2].map((i) => staggerMs(i, 3, 60_000)),
  );
});

test("former schedules stay known, so that late results of them can be judged", () => {
  const revisions = [
    { revision: 1, frequencySeconds: 10, locationKeys: [1], enabled: true, effectiveFromMs: 0 },
    { revision: 2, frequencySeconds: 60, locationKeys: [1, 2], enabled: true, effectiveFromMs: 500 },
  ];
  state.applyChecks([aCheckRow(1, { revision: 2, locationIds: ["loc_1", "loc_2"], revisions })]);
  expect(state.check(1)?.schedules.map(({ periodMs, locationKeys }) => [periodMs, locationKeys])).toEqual([
    [10_000, [1]],
    [60_000, [1, 2]],
  ]);
  expect(state.check(1)?.effectiveFromMs).toBe(500);
});
