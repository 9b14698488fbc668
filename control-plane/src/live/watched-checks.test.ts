import { type CheckId, type LocationId, resultIdOf } from "@svc/contract";
import { beforeEach, describe, expect, it } from "vitest";
import { type CheckLocationState, type StoredResult, WatchedChecks } from "./watched-checks.ts";

const CHECK = { checkId: "chk_a" as CheckId, checkKey: 7, isEnabled: true, recentFromMs: 0 };
const STATUS = { success: 1, failure: 2, timeout: 4 };

/** A check location as the database has it; without a slot it has no result. */
function row(
  locationKey: number,
  newest?: [slotMs: number, status: keyof typeof STATUS],
): CheckLocationState {
  const locationId = `loc_${locationKey}` as LocationId;
  const [slotMs, status] = newest ?? [null, null];
  return {
    ...CHECK,
    locationId,
    locationKey,
    slotMs,
    status: status && STATUS[status],
    responseTimeUs: 5_000,
  };
}

function result(locationKey: number, slotMs: number, status: keyof typeof STATUS): StoredResult {
  return { checkKey: 7, locationKey, slotMs, status: STATUS[status], responseTimeUs: 5_000 };
}

const reported = (locationKey: number, slotMs: number, status: string) => ({
  id: resultIdOf({ slotMs, checkKey: 7, locationKey }),
  locationId: `loc_${locationKey}`,
  slotAt: new Date(slotMs).toISOString(),
  status,
  responseTimeMs: 5,
});

let checks: WatchedChecks;
beforeEach(() => {
  checks = new WatchedChecks();
  checks.load([row(1, [1_000, "success"]), row(2)]);
  checks.begin();
});

describe("differences", () => {
  it("there are none of checks that were read first, and there is one of a check that came later", () => {
    expect(checks.hasDifferences).toBe(false);
    expect(checks.flush(10)).toEqual({ states: [], results: [] });
    checks.load([{ ...row(1, [1_000, "failure"]), checkKey: 8, checkId: "chk_8" as CheckId }]);
    expect(checks.flush(10).states).toMatchObject([{ checkId: "chk_8", health: "unhealthy" }]);
  });

  it("a success after a success is none", () => {
    checks.apply(result(1, 2_000, "success"));
    expect(checks.hasDifferences).toBe(false);
  });

  it("a failure is reported once, with the locations that fail", () => {
    checks.apply(result(1, 2_000, "failure"));
    checks.apply(result(1, 2_000, "failure"));
    expect(checks.flush(10).states).toEqual([
      {
        checkId: "chk_a",
        health: "unhealthy",
        failingLocations: ["loc_1"],
        results: [reported(1, 2_000, "failure")],
      },
    ]);
    checks.apply(result(1, 3_000, "failure"));
    expect(checks.flush(10).states).toEqual([]);
  });

  it("a result of an older slot changes nothing", () => {
    checks.apply(result(1, 900, "failure"));
    expect(checks.hasDifferences).toBe(false);
  });

  it("several in a row are one, and it has the newest", () => {
    checks.apply(result(1, 2_000, "failure"));
    checks.apply(result(1, 3_000, "success"));
    expect(checks.flush(10).states).toMatchObject([
      { health: "healthy", results: [reported(1, 3_000, "success")] },
    ]);
  });

  it("no more states are taken at once than asked for, and the others follow", () => {
    for (const checkKey of [8, 9])
      checks.load([{ ...row(1, [1_000, "success"]), checkKey, checkId: `chk_${checkKey}` as CheckId }]);
    for (const checkKey of [7, 8, 9]) checks.apply({ ...result(1, 2_000, "timeout"), checkKey });
    expect(checks.flush(2).states.map(({ checkId }) => checkId)).toHaveLength(2);
    expect(checks.hasDifferences).toBe(true);
    expect(checks.flush(2).states).toHaveLength(1);
  });

  it("a deleted check has none", () => {
    checks.apply(result(1, 2_000, "failure"));
    checks.forget(7);
    expect(checks.flush(10).states).toEqual([]);
    expect(checks.keyOf(CHECK.checkId)).toBeUndefined();
  });
});

describe("reading all again", () => {
  it("finds what was missed, and keeps what is newer here", () => {
    checks.apply(result(2, 5_000, "failure"));
    checks.flush(10);
    checks.load([row(1, [2_000, "failure"]), row(2, [4_000, "success"])]);
    expect(checks.flush(10).states).toEqual([
      {
        checkId: "chk_a",
        health: "unhealthy",
        failingLocations: ["loc_1", "loc_2"],
        results: [reported(1, 2_000, "failure")],
      },
    ]);
  });

  it("a location that the check lost fails no more", () => {
    checks.apply(result(2, 5_000, "failure"));
    checks.flush(10);
    checks.load([row(1, [1_000, "success"])]);
    expect(checks.flush(10).states).toMatchObject([{ health: "healthy", failingLocations: [], results: [] }]);
  });

  it("a result that is no longer recent counts no more", () => {
    checks.load([{ ...row(1), recentFromMs: 1_001 }]);
    expect(checks.flush(10).states).toMatchObject([{ health: "unknown" }]);
  });
});

describe("a check that is followed", () => {
  it("has a result reported that came with the check when it was read anew, and reports it once", () => {
    checks.follow(7, 1);
    checks.load([row(1, [2_000, "success"]), row(2, [1_500, "success"])]);
    checks.apply(result(1, 2_000, "success"));
    expect(checks.flush(10).results).toEqual([
      { checkId: "chk_a", results: [reported(1, 2_000, "success"), reported(2, 1_500, "success")] },
    ]);
    checks.load([row(1, [2_000, "success"]), row(2, [1_500, "success"])]);
    expect(checks.flush(10).results).toEqual([]);
  });

  it("has every result reported, until nobody follows it", () => {
    checks.follow(7, 1);
    checks.follow(7, 1);
    checks.apply(result(1, 2_000, "success"));
    checks.apply(result(1, 3_000, "success"));
    expect(checks.flush(10)).toEqual({
      states: [],
      results: [
        { checkId: "chk_a", results: [reported(1, 2_000, "success"), reported(1, 3_000, "success")] },
      ],
    });
    checks.follow(7, -1);
    checks.follow(7, -1);
    checks.apply(result(1, 4_000, "success"));
    expect(checks.hasDifferences).toBe(false);
  });
});

describe("awaited results", () => {
  it("are those of what fails and of what has none", () => {
    expect(checks.awaited()).toEqual([{ checkKey: 7, locationKey: 2, afterSlotMs: 0 }]);
    checks.apply(result(1, 2_000, "failure"));
    checks.apply(result(2, 2_000, "success"));
    expect(checks.awaited()).toEqual([{ checkKey: 7, locationKey: 1, afterSlotMs: 2_000 }]);
  });

  it("are none of a disabled check that works, and all of one that is followed", () => {
    checks.load([
      { ...row(1, [1_000, "success"]), isEnabled: false },
      { ...row(2), isEnabled: false },
    ]);
    expect(checks.awaited()).toEqual([]);
    checks.follow(7, 1);
    expect(checks.awaited()).toHaveLength(2);
  });
});
